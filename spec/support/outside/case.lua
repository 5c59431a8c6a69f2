-- One model under test: its events as the engine gets them, and beside each a clock that knows from the closed form
-- when the event is due. Families fill it; run.lua runs it; judge.lua compares.
local saltus = require "saltus"
local numbers = require "spec.support.outside.numbers"

local case = {}
case.__index = case

local kinds = { "publish", "discrete_update", "unrestricted_update", "none" }

function case.new(plan)
  local self = setmetatable({ plan = plan, r = plan:stream "family", start = plan.start, events = {}, clocks = {},
    named = {},
    log = { n = 0, t = {}, name = {}, w = {} }, silent = {}, values = {}, how = plan:stream "how" }, case)
  self.count = function() return self.judge and self.judge.events or 0 end
  return self
end

-- name: { due =, sign =, tol =, after = function(t) } -- `after` returns what is due next: due, sign, tol.
function case:clock(name, clock)
  clock.name = name
  self.clocks[#self.clocks + 1], self.named[name] = clock, clock
  return clock
end

-- Of the largest time of the run up to t.
function case:ulp(t) return math.max(numbers.ulp(t), numbers.ulp(self.start)) end

-- Times of what is followed to rounding: the time itself, and the state's rounding at the speed with which it crosses.
-- Newton's iteration may stop at the accuracy.
function case:sharp(t, seconds)
  local p = self.plan
  local roundings = p.method.fixed and 256 or p.method.implicit and p.accuracy / numbers.epsilon or 64
  return 16 * self:ulp(t) + roundings * numbers.epsilon * (seconds or self.scale)
end

-- What a state of size one, that no polynomial describes, may be wrong by after so many of its times: ten times the
-- accuracy a time; classical Runge-Kutta's and cubic Hermite's own error at the steps that `smooth` gives them.
function case:error_of(times)
  local p = self.plan
  if p.method.fixed then return 1e-6 * (1 + times) end
  local cubic = p.dense_output == "hermite" and 0.1 ^ 4 / 100 * (1 + times) or 0 -- at each event that ends a step
  return 10 * p.accuracy * (1 + times / 2) + cubic
end

-- Longest steps: `turn` of the time 1 / rate, and less for what has a fixed step or a cubic interpolant.
function case:smooth(rate, turn)
  self.fixed_step = 0.05 / rate
  self.max_step = math.min(self.plan.dense_output == "hermite" and 0.1 or turn, turn) / rate
end

-- The record of a handler of another kind.
function case:note(name, t)
  local log = self.log
  log.n = log.n + 1
  log.t[log.n], log.name[log.n], log.w[log.n] = t, name, false
end

local function handler(self, name, kind, spec)
  local log, witness, act = self.log, spec.witness, spec.act
  if spec.becomes then witness = function(ctx) return spec.becomes(ctx) and 1 or -1 end end
  local quiet = kind ~= "publish" and not act
  local unrestricted = kind == "unrestricted_update"
  return function(ctx, next)
    local n, t = log.n + 1, ctx.time
    if log.stumbles and kind ~= "publish" and log.stumbles() then
      if act then act(ctx, next) end
      return saltus.fail "stumbled"
    end
    log.n, log.t[n], log.name[n] = n, t, name
    -- A discrete update sees what unrestricted ones of its instant wrote: there its witness has no information.
    log.w[n] = witness and not (kind == "discrete_update" and log.jumped == t) and witness(ctx)
    if act then
      if unrestricted then log.jumped = t end
      act(ctx, next)
    elseif quiet then
      if n % 3 == 0 then return saltus.did_nothing end
      next.taps = ctx.taps + 1
    end
  end
end

-- An event of the engine: { name, witness | every | next_time | at, direction, when, writes =, act = }. `act` is run
-- by a handler of kind `writes`; without, the handler is of any kind and changes nothing that matters. `alone`: the
-- flow crosses in this direction only, so that "crossing" is the same.
function case:event(spec)
  local p, event = self.plan, { name = spec.name, witness = spec.witness, every = spec.every, offset = spec.offset,
    next_time = spec.next_time, at = spec.at, when = spec.when, becomes = spec.becomes }
  local kind = spec.writes or (p.kind == "any" and self.how:pick(kinds)) or p.kind
  if kind == "none" and not (spec.witness or spec.becomes) then kind = "publish" end
  if kind == "none" then
    self.silent[spec.name] = true
  else
    event[kind] = handler(self, spec.name, kind, spec)
  end
  if spec.witness then
    event.direction = spec.direction
    if spec.alone and p.direction == "crossing" then event.direction = nil end
  end
  event.on_zeno = spec.on_zeno
  self.events[#self.events + 1] = event
  return kind
end

-- Samples beside the model, which change nothing: at times that the model's own events like to meet.
function case:add_ticks()
  local r = self.plan:stream "tick"
  for i = 1, self.plan.ticks do
    local every = self.scale * r:integer(1, 8) / r:integer(1, 8)
    if r:chance(0.3) then every = every * numbers.between(r, 0.5, 1.5) end
    every = math.max(every, self.scale / 4)
    local offset = self.start + (r:chance(0.3) and 0 or self.scale * r:integer(0, 12) / 12)
    local k, name = 0, "tick" .. i
    self:event { name = name, every = every, offset = offset }
    self:clock(name, { due = offset, tol = 8 * numbers.ulp(offset), timed = true, after = function()
      k = k + 1
      return offset + k * every, nil, 8 * numbers.ulp(math.max(math.abs(offset), k * every))
    end })
  end
end

-- A time that a handler sets anew.
function case:add_timer(spec)
  local r = self.plan:stream "timer"
  local wait = self.scale * r:integer(1, 12) / r:integer(1, 4)
  local alarm = self.start + wait
  spec.discrete[#spec.discrete + 1] = { "alarm", alarm }
  self:event { name = "timer", next_time = "alarm", writes = "discrete_update", act = function(ctx, next)
    next.alarm = ctx.time + wait
  end }
  self:clock("timer", { due = alarm, tol = 0, timed = true, after = function(t) return t + wait end })
end

function case:add_shout()
  self:event { name = "shout", at = "demand" }
  self:clock("shout", { tol = 0, timed = true })
  self.shouts = true
end

local function nest(system, depth, ports)
  local path = system.name
  for level = 1, depth do
    local d = saltus.diagram("level" .. level)
    d:add(system)
    for _, port in ipairs(ports or {}) do
      if port.input then d:export_input(port.name, path .. "." .. port.name) end
      if port.output then d:export_output(path .. "." .. port.name, port.name) end
    end
    system, path = d, "level" .. level
  end
  return system
end

local function path_of(name, depth)
  local words = {}
  for level = depth - 1, 1, -1 do words[#words + 1] = "level" .. level end
  if depth > 0 then words[#words + 1] = name end
  return words
end

local function flowing(spec)
  local list = {}
  for _, field in ipairs { "q", "v", "z" } do
    for _, entry in ipairs(spec[field] or {}) do list[#list + 1] = entry[1] end
  end
  return list
end

-- The watcher in a system of its own, what flows comes in by its inputs: the closures are the same.
local function split(self, spec)
  local depth, names = self.plan.nest, flowing(spec)
  local plant = saltus.system { name = "plant", q = spec.q, v = spec.v, z = spec.z, inputs = spec.inputs,
    derivatives = spec.derivatives }
  local watcher = saltus.system { name = "watcher", inputs = names, discrete = spec.discrete, params = spec.params,
    events = self.events }
  local function ports(kind)
    local list = {}
    for i, name in ipairs(names) do list[i] = { name = name, [kind] = true } end
    return list
  end
  local d, of_plant = saltus.diagram "outside", ports "output"
  for _, input in ipairs(spec.inputs or {}) do
    of_plant[#of_plant + 1] = { name = input[1], input = true }
    d:add(saltus.blocks.gain { gain = 1 }, "hand_" .. input[1])
  end
  local source = nest(plant, depth // 2, of_plant)
  local eye = nest(watcher, depth, ports "input")
  d:add(source, "source")
  d:add(eye, "eye")
  for _, name in ipairs(names) do
    if self.plan:stream("gain" .. name):chance(0.5) then
      d:add(saltus.blocks.gain { gain = 1 }, "g_" .. name)
      d:connect("source." .. name, "g_" .. name)
      d:connect("g_" .. name, "eye." .. name)
    else
      d:connect("source." .. name, "eye." .. name)
    end
  end
  for _, input in ipairs(spec.inputs or {}) do d:connect("hand_" .. input[1], "source." .. input[1]) end
  local words = path_of("watcher", depth)
  table.insert(words, 1, "eye")
  self.prefix = table.concat(words, ".") .. "."
  local states = path_of("plant", depth // 2)
  table.insert(states, 1, "source")
  self.state_prefix = table.concat(states, ".") .. "."
  return d
end

-- spec: z, q, v, discrete, params, derivatives. `flows_alone`: no event writes what flows, so that plant and watcher
-- may be two systems.
function case:build(spec, stop)
  spec.name, spec.discrete = "model", spec.discrete or {}
  spec.discrete[#spec.discrete + 1] = { "taps", 0 }
  self:add_ticks()
  if self.plan.timer then self:add_timer(spec) end
  if self.plan.shouts then self:add_shout() end
  self.stop, self.names = stop, flowing(spec)
  local depth = self.plan.nest
  if self.flows_alone and self.plan.split and spec.derivatives then
    self.system = split(self, spec)
  else
    local words = path_of("model", depth)
    self.prefix = table.concat(words, ".") .. (depth > 0 and "." or "")
    self.state_prefix = self.prefix
    spec.events = self.events
    self.system = nest(saltus.system(spec), depth)
  end
  return self
end

-- The path to feed an input by.
function case:hand(name)
  return self.plan.split and self.flows_alone and "hand_" .. name .. ".input" or self.prefix .. name
end

-- Options of the simulator; `least` is the shortest time between two roots of one witness.
function case:options()
  local p, least = self.plan, self.least and self.least < math.huge and self.least or self.scale
  local o = { integrator = p.integrator, accuracy = p.accuracy, start_time = p.start, event_state = p.event_state,
    interior_search = p.interior, dense_output = p.dense_output, characteristic_time = p.characteristic_time,
    max_step = self.max_step, max_steps_per_call = 200000 }
  -- Without the search inside steps, one step must not hold two crossings of one witness.
  local two = not p.interior or p.isolation == "ends" or p.dense_output == "hermite"
  if two and self.crosses_back then o.max_step = math.min(o.max_step or math.huge, 0.45 * least) end
  if p.method.fixed then
    o.max_step, o.fixed_step = math.min(o.max_step or math.huge, self.fixed_step or self.step or least / 4), true
  end
  -- The window is for what lies near a limit: much shorter than what is between two firings.
  if p.isolation == "window" then o.isolation = least * 1e-3
  elseif p.isolation == "ends" then o.isolation = false
  elseif 0.01 * p.accuracy * p.characteristic_time > 0.01 * least and not self.any_window then
    o.characteristic_time = least
  end
  return o
end

return case
