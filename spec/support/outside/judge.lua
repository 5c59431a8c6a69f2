-- Each firing against the clocks of the case: none missing, none twice, none early or late, none out of turn, none
-- seen from the wrong side. Firings of one time are one instant, in any order.

local judge = {}
judge.__index = judge

function judge.new(case)
  return setmetatable({ case = case, read = 0, limits = {}, instant = -math.huge, events = 0, worst = 0 }, judge)
end

local function fail(what, format, ...) error({ what = what, text = format:format(...) }, 0) end

-- A root within the window before a limit (a sample, the end of an advance) may be taken there.
function judge:is_limit(t)
  if self.limits[t] then return true end
  for _, c in ipairs(self.case.clocks) do
    if c.timed then
      local room = 8 * self.case:ulp(t)
      if (c.due and math.abs(c.due - t) <= room) or (c.last and math.abs(c.last - t) <= room) then return true end
    end
  end
  return false
end

-- A root is reported up to an ulp after it, the state is that of the root: each event since leaves the flow behind so
-- much.
function judge:room(c, t)
  local tol = c.tol + (self.events - (c.since or 0)) * self.case:ulp(t)
  if c.timed then tol = tol + 8 * self.case:ulp(t) end
  return tol
end

function judge:nobody_missed(before, late)
  for _, c in ipairs(self.case.clocks) do
    if c.due and not c.free and c.due + self:room(c, c.due) + (c.late or 0) + late < before then
      local later
      for i = self.read + 1, math.min(self.case.log.n, self.read + 50) do
        if self.case.log.name[i] == c.name then later = self.case.log.t[i] break end
      end
      fail(later and "misordered" or "lost", "%s was due at %.17g (+-%.3g), not seen before %.17g%s", c.name, c.due,
        c.tol,
        before, later and (", but at %.17g"):format(later) or "")
    end
  end
end

-- How late it fired at a limit, where its root is known to its room only; elsewhere it is at its root, and the rest is
-- the error of the clock.
function judge:check_time(c, t)
  if c.free then return 0, false end
  local off, tol = t - (c.due or math.huge), self:room(c, t)
  if off < -tol - (c.early or 0) then
    local twice = c.last and t - c.last < 0.01 * ((c.due or math.huge) - c.last)
    fail(twice and "doubled" or "early", "%s fired at %.17g, last at %.17g, next due at %.17g (+-%.3g)", c.name, t,
      c.last or 0 / 0, c.due or math.huge, tol)
  end
  local late = tol + (c.late or 0)
  if off > late and not (off <= late + self.window and self:is_limit(t)) then
    fail("late", "%s fired at %.17g, due at %.17g (+-%.3g, off by %.3g)", c.name, t, c.due, late, off)
  end
  if not c.timed and tol > 0 and math.abs(off) <= tol then self.worst = math.max(self.worst, math.abs(off) / tol) end
  if not c.timed and self:is_limit(t) then return off, true end
  return 0, false
end

-- Does something happen here, or within the window of here?
function judge:is_busy(t, window)
  for _, c in ipairs(self.case.clocks) do
    local near = self:room(c, t) + window
    if c.free or (c.due and math.abs(c.due - t) <= near) or (c.last and
      math.abs(c.last - t) <= near) then return true end
  end
  return false
end

-- What is new in the log, up to the time where the run is.
function judge:feed(now, window)
  local log, named = self.case.log, self.case.named
  self.window = window
  for i = self.read + 1, log.n do
    local t, c, w = log.t[i], named[log.name[i]], log.w[i]
    if t < self.instant then fail("misordered", "%s at %.17g after %.17g", c.name, t, self.instant) end
    if t > self.instant then
      self:nobody_missed(self.instant, 0) -- its firings are all told
      self.instant = t
    end
    self.read = i
    local late, at_limit = self:check_time(c, t)
    if w and c.sign and (w ~= w or w * c.sign < 0) then
      fail("wrong side", "%s at %.17g sees its witness at %.3g, crossing %s", c.name, t, w, c.sign > 0 and "up" or
        "down")
    end
    c.last = t
    if c.after then
      local due, sign, tol = c.after(t, late, at_limit and self:room(c, t) or 0)
      c.due, c.sign, c.tol = due, sign or c.sign, tol or c.tol
    else
      c.due = nil
    end
    self.events = self.events + 1
    if not c.line then c.since = self.events end
  end
  if now > self.instant then self:nobody_missed(self.instant, 0) end
  self:nobody_missed(now, window)
end

return judge
