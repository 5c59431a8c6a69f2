-- The truth of a formula while a run goes on: watches find where its conditions change, events end an advance, and the
-- clock ends intervals. Between these times nothing is computed but the margins of the watches.
--
--   local m = formula.monitor("always (level > 2 -> pump == 'off' within 0.3)", sim)
--   m:advance_to(10)        as sim:advance_to, but ends where the verdict is known
--   m.holds, m.time         true, false or nil, and since when it is known
--   m:finish()              the verdict if the run ends here
--
-- Conditions are signals of truth: the margins of saltus.formula.robustness are infinite.
local codegen = require "saltus.formula.codegen"
local condition = require "saltus.formula.condition"
local emits = require "saltus.story.emits"
local explanation = require "saltus.formula.explanation"
local grammar = require "saltus.formula.grammar"
local meaning = require "saltus.formula.meaning"
local names = require "saltus.util.names"
local program = require "saltus.formula.program"
local robustness = require "saltus.formula.robustness"
local signal = require "saltus.formula.signal"
local watches = require "saltus.watch"

local monitor = {}

local huge = math.huge
local SHORTEST = 2 ^ -49 -- of a time: the part of a signal just after it, which no shift by an interval loses
local MOST_ENDS = 64 -- times after a change at which intervals end

local Monitor = { __name = "saltus.monitor" }
Monitor.__index = Monitor

-- ---- conditions and their changes ----

-- Whether a node is more than a condition on values: it has an operator of time or an event in it.
local function is_more(node, found)
  local more = false
  grammar.visit(node, function(n) more = more or meaning.is_temporal[n.op] or found[n] and found[n].event ~= nil end)
  return more
end

-- Calls fn(node) for the largest conditions on values, and for the events of a formula.
local function each_condition(node, found, fn)
  if #node == 0 or not is_more(node, found) then return fn(node) end
  for _, child in ipairs(node) do each_condition(child, found, fn) end
end

-- { t = {}, point = {}, after = {} }: at t it is `point`, and from then on `after`.
local function record(changes, t, value)
  local n = #changes.t
  if n == 0 or changes.t[n] < t then n = n + 1 end
  if n > #changes.t or n == 1 then changes.t[n], changes.point[n] = t, value end -- the start is what follows from it
  changes.after[n] = value
end

-- Watches for the next change of a condition.
function Monitor:arm(c, now)
  for _ = 1, 2 do
    local next_change = c.is_true and c.ends or c.begins
    local handle = watches.add_idle(self.sim, next_change.fn, next_change.program)
    if handle then
      c.handle, self.condition_of[handle] = handle, c
      return
    end
    c.is_true = not c.is_true
    record(c.changes, now, c.is_true)
  end
end

function Monitor:add_condition(node, found, now)
  local function closure(negated)
    local chunk = codegen.new(found, condition.read, 1)
    return { fn = chunk:closure("c", chunk:margin(node, negated)), program = program.of(node, found, negated) }
  end
  local c = { begins = closure(false), ends = closure(true), changes = { t = {}, point = {}, after = {} } }
  c.is_true = c.begins.fn(self.sim.context) >= 0
  record(c.changes, now, c.is_true)
  self.changes_of[node] = c.changes
  self:arm(c, now)
end

-- An event is true at the instants at which it fires.
function Monitor:add_events(list, now)
  if #list == 0 then return end
  local places = {}
  local listens_to = {}
  for i, event in ipairs(list) do
    if event.emitted then
      places[i], listens_to[event.name] = { 0, 0 }, names.joined(listens_to[event.name] or {}, { i })
    else
      local part, e = self.sim.model:event(event.name)
      places[i] = { part, e.index }
    end
    event.changes = { t = {}, point = {}, after = {} }
    record(event.changes, now, false)
    self.changes_of[event.node] = event.changes
  end
  self.events, self.halt = list, self.sim.core:halt_at(places)
  if next(listens_to) then self.sim.inner.stories.listeners[self.halt] = listens_to end
end

-- Takes note of the events that fired; returns whether any did, and whether a halt is theirs.
function Monitor:take_events(now)
  if not self.halt then return false, false end
  local fired, is_due = self.halt:fired()
  for _, i in ipairs(fired) do
    local changes = self.events[i].changes
    record(changes, now, true)
    changes.after[#changes.t] = false
  end
  local was_due = self.is_halt_due
  self.is_halt_due = is_due and (was_due or fired[1] ~= nil) -- by what came after the updates: the next advance ends
  return fired[1] ~= nil, was_due or fired[1] ~= nil
end

-- Takes note of the conditions that changed; returns whether any did, and whether only they ended the advance.
function Monitor:take(status)
  local fired, is_own_halt = self:take_events(status.time)
  local changed, only_own = fired, status.reason == "reached_watch" or is_own_halt and status.reason == "halted"
  local stories = self.sim.inner.stories
  for _, handle in ipairs(status.watches or {}) do
    local c = self.condition_of[handle]
    changed, only_own = changed or c ~= nil, only_own and (c ~= nil or stories and stories.watching[handle] ~= nil)
    if c then
      self.condition_of[handle], c.is_true = nil, not c.is_true
      watches.remove_idle(self.sim, handle)
      record(c.changes, status.time, c.is_true)
      self:arm(c, status.time)
    end
  end
  return changed, only_own
end

-- ---- the verdict ----

-- A condition as a signal from `from` to `now`, and on to `far` with another value, from shortly after `now` on.
local function signal_of(changes, from, now, far, value_after)
  local times, after, points = changes.t, changes.after, changes.point
  local s, before
  for i = 1, #times do
    local t, value = times[i], after[i] and huge or -huge
    if t > from then
      signal.add(s, t, before, before, points[i] and huge or -huge)
    elseif i == #times or times[i + 1] > from then
      s = signal.start(from, t == from and (points[i] and huge or -huge) or value)
    end
    before = value
  end
  if now > s.t[s.n + 1] then signal.add(s, now, before, before, before) end
  if far <= now then return s end
  signal.add(s, now + SHORTEST * (far - now + math.abs(now)), before, before, before)
  signal.add(s, far, value_after or before, value_after or before, value_after or before)
  return s
end

-- The robustness of the formula from self.base on, while the run goes on. That is before self.from, if the monitor has
-- begun before: whether a condition rises at a time needs its value just before.
function Monitor:signals(now, beyond)
  local far = now + self.horizon
  return robustness.of(self.inner, { stop = now, far = far, beyond = beyond, goes_on = true, atoms = self.changes_of,
    trace = function(node, unknown)
      return signal_of(self.changes_of[node], self.base, now, far, beyond and unknown)
    end })[self.inner]
end

-- The same for a run that ends now.
function Monitor:signals_at_end(now, beyond)
  local far = math.max(now, robustness.needs(self.inner, self.always and now or self.from, now))
  return robustness.of(self.inner, { stop = now, far = far, beyond = beyond, atoms = self.changes_of,
    trace = function(node) return signal_of(self.changes_of[node], self.base, now, now) end })[self.inner]
end

local function remove_first(list, drop)
  local n = #list
  table.move(list, drop + 1, n, 1)
  for i = n - drop + 1, n do list[i] = nil end
end

-- Forgets the changes before self.base, except the last.
function Monitor:forget()
  for _, changes in pairs(self.changes_of) do
    local drop = 0
    while changes.t[drop + 2] and changes.t[drop + 2] <= self.base do drop = drop + 1 end
    if drop > 0 then
      remove_first(changes.t, drop)
      remove_first(changes.point, drop)
      remove_first(changes.after, drop)
    end
  end
end

-- Times before `t` are settled.
function Monitor:settle(t)
  if t <= self.from then return end
  self.base, self.from = self.from, t
  self:forget()
end

-- The sums of the ends of intervals, and their differences: a value that changes at t decides from t - a on for an
-- interval from a to b, which then ends at t - a + b.
local function ends_of(node)
  local list = robustness.ends(node, 0, MOST_ENDS)
  local seen, n = {}, #list
  for _, t in ipairs(list) do seen[t] = true end
  for i = 2, n do
    for j = i + 1, n do
      local d = list[j] - list[i]
      if #list < MOST_ENDS and not seen[d] then seen[d], list[#list + 1] = true, d end
    end
  end
  table.sort(list)
  return list
end

-- The next time at which an interval ends that began at a change or at `also`; nil if there is none.
function Monitor:next_end(now, also)
  local due
  local function try(t)
    for _, offset in ipairs(self.ends) do
      if t + offset > now and (not due or t + offset < due) then due = t + offset end
    end
  end
  if also then try(also) end
  for _, changes in pairs(self.changes_of) do
    for i = #changes.t, 1, -1 do
      if changes.t[i] + self.ends[#self.ends] <= now then break end
      try(changes.t[i])
    end
  end
  return due
end

function Monitor:decide(holds, now)
  self.holds, self.time, self.due = holds, now, nil
  for handle in pairs(self.condition_of) do self.sim:unwatch(handle) end
  self.condition_of = {}
  if self.halt then self.halt:close() end
end

-- The first time, of those that are not settled yet, at which the operand of the operator at the top goes against it;
-- `beyond`: what the unknown is.
function Monitor:first_against(now, beyond)
  if self.always > 0 then return explanation.first_failure(self:signals(now, beyond), self.from, now) end
  beyond = beyond == "worst" and "best" or beyond == "best" and "worst" or nil
  return explanation.first_failure(signal.opposite(self:signals(now, beyond)), self.from, now)
end

-- What must hold or fail at all times: looks at those that are not settled yet, not before any of them can be known.
function Monitor:look_on(now)
  local earliest = self.from + self.delay
  if now < earliest then
    self.due = earliest
    return
  end
  local open = self:first_against(now, "worst")
  local may_be_known = open and open + self.delay <= now
  if may_be_known and self:first_against(now, "best") then return self:decide(self.always < 0, now) end
  self:settle(open or now)
  self.due = nil
  if not open then return end
  if now < self.from + self.delay then
    self.due = self.from + self.delay
  elseif self:first_against(now) then
    self.due = self:next_end(now, self.from)
  end
end

function Monitor:look(now)
  if self.always then return self:look_on(now) end
  local worst, best = self:signals(now, "worst"), self:signals(now, "best")
  worst, best = signal.at(worst, self.from), signal.at(best, self.from)
  if worst >= 0 or best < 0 then return self:decide(worst >= 0, now) end
  self.due = self:next_end(now, self.from)
end

-- ---- the run ----

-- Runs the updates at the end of an interval, which includes what they change.
function Monitor:end_interval()
  local status = self.sim:advance_pending_events()
  local _, only_own = self:take(status)
  self:look(status.time)
  return status, only_own or status.reason == "reached_boundary_time"
end

-- Stories that the updates of an instant woke go on at it, and what they emit is true at it.
function Monitor:end_instant(status)
  local more, only_own = true, true
  while more and only_own do
    status = self.driver:advance_to(status.time)
    more, only_own = self:take(status)
    only_own = only_own or status.reason == "reached_boundary_time"
  end
  return status, only_own
end

-- Advances once; returns the status, and whether nothing but this monitor ended the advance before t.
local function advance(self, t)
  local due = self.due and self.due < t and self.due
  local status = self.driver:advance_to(due or t)
  if due and status.reason == "reached_boundary_time" then return self:end_interval() end
  local changed, only_own = self:take(status)
  if changed and only_own and self.sim.inner.stories then status, only_own = self:end_instant(status) end
  if changed then self:look(status.time) end
  return status, only_own
end

-- As sim:advance_to; ends earlier where the verdict is known.
function Monitor:advance_to(t)
  if self.holds ~= nil then return self.driver:advance_to(t) end
  local status, goes_on
  repeat status, goes_on = advance(self, t) until not goes_on or self.holds ~= nil
  return status
end

-- The verdict if the run ends now: true, false, or nil if an interval ends later.
function Monitor:finish()
  if self.holds ~= nil then return self.holds end
  local now = self.sim.context.time
  local worst, best = self:signals_at_end(now, "worst"), self:signals_at_end(now, "best")
  if self.always then
    local against = self.always < 0
    if against then worst, best = signal.opposite(best), signal.opposite(worst) end
    if explanation.first_failure(best, self.from, now) then return against end
    if explanation.first_failure(worst, self.from, now) then return nil end
    return not against
  end
  worst, best = signal.at(worst, self.from), signal.at(best, self.from)
  if worst >= 0 then return true end
  if best < 0 then return false end
  return nil
end

-- An operator without an end at the top: its operand is checked time by time, and settled times are forgotten.
local function unbounded(root)
  if root.a ~= 0 or root.b ~= huge or root.op == "until" then return nil end
  return root.op == "always" and 1 or -1
end

-- A monitor of a formula from the present time of a simulator on.
function monitor.new(given, sim, functions)
  names.check(names.kind(sim) == "simulator", sim, "formula.monitor takes a formula and a simulator")
  local tree = grammar.is_tree(given) and given or grammar.parse(given)
  local found = meaning.of(tree, sim.model, functions, { emits = emits.of(sim) })
  local now, always = sim.context.time, unbounded(tree.root)
  local self = setmetatable({ sim = sim, driver = sim, tree = tree,
    inner = always and tree.root[1] or tree.root, always = always,
    base = now, from = now, condition_of = {}, changes_of = {} }, Monitor)
  self.ends = ends_of(self.inner)
  self.horizon = robustness.needs(self.inner, 0, 0) + 1 -- so that something is unknown
  local fails, holds = robustness.delays(self.inner)
  self.delay = always and always < 0 and holds or fails
  local events = {}
  each_condition(self.inner, found, function(node)
    local event = found[node] and found[node].event and found[node]
    if event then
      events[#events + 1] = { node = node, name = event.event, emitted = event.emitted }
    else
      self:add_condition(node, found, now)
    end
  end)
  self:add_events(events, now)
  self:look(now)
  return self
end

names.with_colon(Monitor, Monitor.__name, { "advance_to", "finish" })
names.closed(Monitor, "a monitor", { "holds", "time", "always", "due", "events", "halt", "is_halt_due" },
  { "advance_to", "finish", "holds", "time" })

return monitor
