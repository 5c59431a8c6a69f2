-- What is due when, for the naive twin (twin.lua): instants, timers, times that systems choose themselves.
local timing = {}

local function ulp(x)
  local bits = string.unpack("<i8", string.pack("<d", math.abs(x)))
  return string.unpack("<d", string.pack("<i8", bits + 1)) - math.abs(x)
end

-- One instant: 4 ulp of the largest of both and of what a timer is computed from.
local function same(a, b, scale)
  if a == b then return true end
  local largest = math.max(math.abs(a), math.abs(b), scale or 0)
  if math.abs(a - b) > 1e-15 * largest + 1e-300 then return false end -- mostly; without the work of an exact ulp
  return largest < math.huge and math.abs(a - b) <= 4 * ulp(largest)
end

timing.same = same

function timing.due(e)
  if e.trigger == "every" then return (e.spec.offset or 0) + e.k * e.spec.every end
  if e.variable then return e.absent and math.huge or e.part.now[e.variable] end
  return e.trigger == "next_time" and e.time or math.huge
end

function timing.scale(e)
  return e.trigger == "every" and math.max(math.abs(e.spec.offset or 0), e.k * e.spec.every) or 0
end

function timing.is_there(e) return e.trigger == "witness" or not e.spec.when or e.spec.when(e.part.ctx) end

function timing.ask(e)
  if e.trigger == "next_time" and not e.variable then e.time = e.spec.next_time(e.part.ctx) or math.huge end
end

-- The first sample not before now.
function timing:first_sample(e)
  e.k = e.trigger == "every" and math.max(0, math.ceil((self.t - (e.spec.offset or 0)) / e.spec.every) - 1)
  while e.k and timing.due(e) < self.t and not same(timing.due(e), self.t, timing.scale(e)) do e.k = e.k + 1 end
end

function timing:is_now(time, size) return time <= self.t or same(time, self.opener, size) end

-- A time that has come while the guard is false waits, unseen, for the guard; one that was pending stays so until the
-- dispatch calls the guard.
function timing:heed_guards()
  for _, e in ipairs(self.events) do
    local time = e.variable and e.part.now[e.variable]
    local come = time and (time <= self.t or same(time, self.t))
    if not (come and time == e.seen and not e.absent) then e.absent = come and not timing.is_there(e) end
    e.seen = time
  end
end

-- The calls of this instant: { event, count }, in dispatch order. What is taken is taken before any handler runs.
function timing:collect(publishes, triggers)
  local calls = {}
  for _, e in ipairs(self.events) do
    local here = triggers[e.trigger]
    if here == nil then here = e.fired or self:is_now(timing.due(e), timing.scale(e)) end
    if here and e.publishes == publishes then calls[#calls + 1] = { e = e, count = e.k } end
    for _, entry in ipairs(triggers.demand == nil and self.agenda or {}) do
      local mine = entry.e == e and e.publishes == publishes
      if mine and self:is_now(entry.time) then calls[#calls + 1] = { e = e, entry = entry } end
    end
  end
  return calls
end

-- The calls ran: samples count up, used times are computed again, witnesses read their new values.
function timing:ran(calls, written)
  for _, call in ipairs(calls) do
    local e = call.e
    if e.trigger == "every" then e.k = e.k + 1 end
    if e.variable and e.publishes and timing.is_there(e) then e.part.now[e.variable] = math.huge end
    if e.fired then e.fired, e.settle = false, true end
    e.seen = nil
    timing.ask(e)
    if call.entry then call.entry.handled = true end
  end
  for i = #self.agenda, 1, -1 do
    if self.agenda[i].handled then table.remove(self.agenda, i) end
  end
  self:ask_readers(written or {})
  self:heed_guards()
end

-- The parts in the set, and those that read their outputs, or the outputs of such.
function timing:downstream(parts)
  local concerned, more = {}, true
  for part in pairs(parts) do concerned[part] = true end
  while more do
    more = false
    for _, part in ipairs(self.parts) do
      for _, from in pairs(part.from) do
        if concerned[from[1]] and not concerned[part] then concerned[part], more = true, true end
      end
    end
  end
  return concerned
end

-- Those that were written, or that hang on what was; a time that is due already stays until it was handled.
function timing:ask_readers(written)
  local concerned = self:downstream(written)
  for _, e in ipairs(self.events) do
    if concerned[e.part] and not self:is_now(timing.due(e)) then timing.ask(e) end
  end
end

return timing
