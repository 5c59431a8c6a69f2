-- A naive twin of the engine: the rules of a step, written out with sorted lists and loops, and nothing else.
--
-- It reads the tables that saltus.system reads, of them: discrete and z of single numbers, inputs wired to another
-- part's state, derivatives that are constant between updates, and events. Continuous state is advanced by explicit
-- Euler in steps of `max_step`; `isolation` locates the roots of witnesses that are linear along a step.
local flow = require "spec.support.twin_flow"
local timing = require "spec.support.twin_timing"

local twin = {}
twin.__index = twin

local order = { initialization = 1, step = 2, every = 3, next_time = 3, witness = 4, demand = 5 }
local severity = { did_nothing = 0, succeeded = 1, terminate = 2, fail = 3 }
local counter = { publish = "publishes", discrete_update = "discrete_updates",
  unrestricted_update = "unrestricted_updates" }
local did_nothing, succeeded = { kind = "did_nothing" }, { kind = "succeeded" }

local function copy(t)
  local result = {}
  for k, v in pairs(t) do result[k] = v end
  return result
end

-- Merging keeps the more severe; on a tie the first.
local function worse(a, b) return severity[b.kind] > severity[a.kind] and b or a end

local function make_event(spec, part, index)
  local e = { spec = spec, part = part, index = index, name = spec.name, kind = "none",
    trigger = spec.at or spec.every and "every" or spec.next_time and "next_time" or "witness" }
  for kind in pairs(counter) do
    if spec[kind] then e.kind = kind end
  end
  e.publishes = e.kind == "publish" or e.kind == "none" -- without a handler it only ends the step
  e.variable = type(spec.next_time) == "string" and spec.next_time or nil
  return e
end

-- systems: a list of what saltus.system gets; wires: { { "a.n", "b.u" }, ... }.
function twin.new(systems, wires, options)
  local self = setmetatable({ parts = {}, events = {}, agenda = {}, options = options, t = options.start_time }, twin)
  for i, system in ipairs(systems) do
    local part = { name = system.name, system = system, index = i, now = {}, from = {}, flows = {} }
    for _, entry in ipairs(system.discrete) do part.now[entry[1]] = entry[2] end
    for _, entry in ipairs(system.z or {}) do
      part.now[entry[1]] = entry[2]
      part.flows[#part.flows + 1] = entry[1]
    end
    part.ctx = setmetatable({}, { __index = function(_, name)
      if name == "time" then return self.t end
      local from = part.from[name]
      return from and from[1].now[from[2]] or part.now[name]
    end })
    self.parts[i], self.parts[system.name] = part, part
    self.flowing = self.flowing or #part.flows > 0
    for k, spec in ipairs(system.events) do self.events[#self.events + 1] = make_event(spec, part, k) end
  end
  for _, wire in ipairs(wires) do
    local from, name = wire[1]:match "(%w+)%.(%w+)"
    local to, input = wire[2]:match "(%w+)%.(%w+)"
    self.parts[to].from[input] = { self.parts[from], name }
  end
  table.sort(self.events, function(a, b) -- subsystem, trigger, declaration
    if a.part ~= b.part then return a.part.index < b.part.index end
    if order[a.trigger] ~= order[b.trigger] then return order[a.trigger] < order[b.trigger] end
    return a.index < b.index
  end)
  self:clear()
  return self
end

for _, chapter in ipairs { timing, flow } do
  for name, rule in pairs(chapter) do twin[name] = rule end
end

function twin:clear() self.stats = { steps = 0, publishes = 0, discrete_updates = 0, unrestricted_updates = 0 } end

-- ---- handlers ----

local function call_handler(call, next)
  local e = call.e
  local event = { name = e.name, count = call.count }
  local fine, o
  if next then
    fine, o = pcall(e.spec[e.kind], e.part.ctx, next, event)
  else
    fine, o = pcall(e.spec[e.kind], e.part.ctx, event)
  end
  if not fine then return { kind = "fail", message = o, event = e } end
  return o and { kind = o.kind, message = o.message, event = e } or succeeded
end

-- One dispatch of a kind: the handlers in order, their writes staged and taken over together.
function twin:dispatch(kind, calls, written)
  local merged, staged = did_nothing, {}
  for _, call in ipairs(calls) do
    local e = call.e
    if e.kind == kind and timing.is_there(e) then
      local next
      if kind ~= "publish" then
        staged[e.part] = staged[e.part] or copy(e.part.now)
        if e.variable then staged[e.part][e.variable], written[e.part] = math.huge, true end
        next = copy(staged[e.part])
      end
      local outcome = call_handler(call, next)
      merged = worse(merged, outcome)
      if merged.kind == "fail" and next then return merged end
      if outcome.kind ~= "did_nothing" and next then staged[e.part], written[e.part] = next, true end
    end
  end
  for part, values in pairs(staged) do part.now = values end
  if merged.kind == "succeeded" or merged.kind == "terminate" then
    self.stats[counter[kind]] = self.stats[counter[kind]] + 1
  end
  return merged
end

function twin:snapshot()
  local kept = {}
  for i, part in ipairs(self.parts) do kept[i] = copy(part.now) end
  return kept
end

function twin:restore(kept)
  for i, part in ipairs(self.parts) do part.now = kept[i] end
end

local at_start = { initialization = true, step = false, every = false, next_time = false, witness = false,
  demand = false }
local in_step = { initialization = false, step = true }
local first_watch = { initialization = true, step = true }
local suppressed = { initialization = false, step = true }

-- x- to x+: undone as a whole, and still due, when one fails.
function twin:update(triggers)
  local kept, calls, written = self:snapshot(), self:collect(false, triggers), {}
  local merged = self:dispatch("unrestricted_update", calls, written)
  if merged.kind ~= "fail" then merged = worse(merged, self:dispatch("discrete_update", calls, written)) end
  if merged.kind == "fail" then
    self:restore(kept)
  elseif triggers == in_step then
    self:ran(calls, written)
    if next(written) then self:turn(kept, written) end
    self.updated = true
  end
  return merged
end

-- Publishes, forced publishes, the monitor: all run, the first worst counts.
function twin:watch(triggers)
  local calls = self:collect(true, triggers)
  local merged = self:dispatch("publish", calls)
  self:ran(calls)
  local option = triggers == in_step and "publish_every_step" or "publish_at_initialization"
  if self.options[option] then
    local forced = {}
    for _, e in ipairs(self.events) do
      if e.trigger == "demand" and e.kind == "publish" then forced[#forced + 1] = { e = e } end
    end
    merged = worse(merged, self:dispatch("publish", forced))
  end
  if self.monitor then
    local fine, o = pcall(self.monitor)
    merged = worse(merged, not fine and { kind = "fail", message = o } or o or succeeded)
  end
  self.updated = false
  return merged
end

-- The earliest pending time opens the instant.
function twin:flow(boundary)
  local opener, size = math.huge, 0
  for _, e in ipairs(self.events) do
    if timing.due(e) < opener then opener, size = timing.due(e), timing.scale(e) end
  end
  for _, entry in ipairs(self.agenda) do
    if entry.time < opener then opener, size = entry.time, 0 end
  end
  if opener <= self.t or boundary <= self.t or timing.same(opener, self.t, size) then
    self.opener = timing.same(opener, self.t, size) and opener or self.t
    self.still = self.still + 1
    return self.still > self.options.max_events_per_instant and { kind = "fail", accumulates = true } or did_nothing
  end
  self.still = 0
  local instant = timing.same(opener, boundary, size) and boundary or opener
  local t0, kept, rates = self.t, self:snapshot(), self:euler()
  self:arm()
  local t1 = self:target(instant, boundary)
  self:move(t0, kept, rates, t1 - t0, t1)
  self:cut(t0, t1, kept, rates, t1 == instant or t1 == boundary)
  self.opener = self.t == instant and opener or self.t
  return did_nothing
end

-- ---- deeds ----

function twin:status(reason, boundary, merged)
  local e = merged and merged.event
  return { reason = reason, time = self.t, boundary_time = boundary, event = e and e.name, system = e and e.part.name,
    message = merged and merged.message, accumulates = merged and merged.accumulates }
end

function twin:initialize(suppress)
  local kept, agenda = self:snapshot(), copy(self.agenda)
  self:clear()
  self.ready, self.updated, self.opener = false, false, self.t
  for _, e in ipairs(self.events) do
    e.active, e.level, e.settle, e.fired, e.seen, e.turned, e.thrown = nil, nil, nil, nil, nil, nil, nil
  end
  local merged = suppress and did_nothing or self:update(at_start)
  for _, e in ipairs(merged.kind == "fail" and {} or self.events) do
    self:first_sample(e)
    timing.ask(e)
  end
  self:heed_guards()
  if severity[merged.kind] < severity.terminate then
    merged = worse(merged, self:watch(suppress and suppressed or first_watch))
  end
  if merged.kind == "fail" then
    self:restore(kept)
    self.agenda = agenda
    for _, entry in ipairs(agenda) do entry.handled = nil end
    return self:status("failed", self.t, merged)
  end
  self.ready = true
  return self:status(merged.kind == "terminate" and "reached_termination" or "reached_boundary_time", self.t,
    merged.kind == "terminate" and merged)
end

function twin:advance_to(boundary, once)
  if not self.ready then
    local first = self:initialize()
    if first.reason ~= "reached_boundary_time" then return first end
  end
  self.still = 0
  repeat
    local merged = did_nothing
    if not self.updated then merged = self:update(in_step) end
    if severity[merged.kind] < severity.terminate then
      merged = self:flow(boundary)
      if merged.kind ~= "fail" then
        self.stats.steps = self.stats.steps + 1
        merged = self:watch(in_step)
      end
    end
    if merged.kind == "fail" then return self:status("failed", boundary, merged) end
    if merged.kind == "terminate" then return self:status("reached_termination", boundary, merged) end
  until self.t >= boundary or once
  return self:status("reached_boundary_time", boundary)
end

function twin:advance_pending_events() return self:advance_to(self.t, true) end

function twin:schedule(t, path)
  for _, e in ipairs(self.events) do
    if e.part.name .. "." .. e.name == path then self.agenda[#self.agenda + 1] = { time = t, e = e } end
  end
end

function twin:demand(path) self:schedule(self.t, path) end

return twin
