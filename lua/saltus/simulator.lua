-- The simulator: the engine's object with names, checks and words around it.
local context = require "saltus.context"
local core = require "saltus.core"
local integrator = require "saltus.integrator"
local model = require "saltus.model"
local names = require "saltus.names"
local options = require "saltus.options"
local outcome = require "saltus.outcome"
local shim = require "saltus.shim"
local system_module = require "saltus.system"
local trouble = require "saltus.trouble"

local simulator = {}

local methods = {}

-- ---- from a model to what the engine reads ----

-- States that are connected become output ports, after the declared outputs.
local function port_numbers(m)
  local passes, port, number = {}, {}, {}
  for _, c in ipairs(m.connections) do
    if c.port.partition == "output" then
      port[c] = c.port.index
    else
      passes[c.from], number[c.from] = passes[c.from] or {}, number[c.from] or {}
      local list, known = passes[c.from], number[c.from]
      if not known[c.port] then
        list[#list + 1] = c.port
        known[c.port] = #list
      end
      port[c] = #m.parts[c.from].system.outputs + known[c.port]
    end
  end
  return passes, port
end

local none = {}

local MANY = 20 -- outputs of a lone system that may read each other

local function needs_of(m)
  local needs = {}
  for _, system in ipairs(m.systems) do
    local ask = #m.parts > 1 or #system.outputs > MANY
    needs[system] = ask and require("saltus.reads").numbers(system) or {}
  end
  return needs
end

local function describe(m, sizes)
  local passes, port = port_numbers(m)
  local parts, connections, needs = {}, {}, needs_of(m)
  for i, part in ipairs(m.parts) do
    local content = system_module.content(part.system)
    local blobs = content.slots[1] and {} or none
    for k, e in ipairs(content.slots) do blobs[k] = require("saltus.plain").encode(e.default) end
    local size = sizes and sizes[i] or none
    parts[i] = { path = part.path, system = content, passes = passes[i] or none, blobs = blobs,
      needs = needs[part.system], constraints = size.constraints, constraint_rates = size.constraint_rates }
  end
  for i, c in ipairs(m.connections) do
    connections[i] = { from = c.from, output = port[c], to = c.to, input = c.input.index }
  end
  return { diagram = #m.parts > 1 or m.parts[1].path ~= "", parts = parts, connections = connections }
end

local function check_mass(o, m, method, what)
  for _, part in ipairs(m.parts) do
    local who = part.system.mass and ("%s: system %q (%s)"):format(what, part.system.name, part.system.source)
    if who and not method.mass then
      local able = {}
      for _, other in ipairs(core.methods()) do if other.mass then able[#able + 1] = ("%q"):format(other.name) end end
      names.fail("%s has a mass matrix, which integrator %q does not take; choose integrator = %s", who, method.name,
        table.concat(able, " or "))
    elseif who and o.dense_output == "hermite" then
      names.fail("%s has a mass matrix, which hides the derivatives that dense_output = \"hermite\" needs", who)
    end
  end
end

local function check_band(o, m, what)
  if type(o.jacobian_pattern) ~= "table" then return end
  local n = 0
  for _, part in ipairs(m.parts) do
    for _, section in ipairs { "q", "v", "z" } do
      for _, e in ipairs(part.system[section]) do n = n + e.size end
    end
  end
  for _, side in ipairs { "lower", "upper" } do
    if o.jacobian_pattern[side] >= math.max(n, 1) then
      names.fail("%s: option \"jacobian_pattern\" has %s = %d, but there are only %d continuous variables", what, side,
        o.jacobian_pattern[side], n)
    end
  end
end

local function has_mass(m)
  for _, part in ipairs(m.parts) do if part.system.mass then return true end end
  return false
end

-- Methods that cannot estimate their error take fixed steps. What is left open is one that solves M x' = f.
local function complete(o, m, what)
  local found, known = nil, {}
  if o.integrator == "auto" and has_mass(m) then o.integrator = "radau5" end
  for i, method in ipairs(core.methods()) do
    known[i] = method.name
    if method.name == o.integrator then found = method end
  end
  if not found then
    names.fail("%s", what .. ": " .. names.unknown("integrator", o.integrator, known))
  end
  check_mass(o, m, found, what)
  check_band(o, m, what)
  if not found.error_control then o.fixed_step = true end
  if o.fixed_step and o.max_step == math.huge then
    names.fail("%s: %s with fixed steps needs max_step, the size of a step in s", what, o.integrator)
  end
  return o
end

local function protected(what, fn, ...)
  local result = table.pack(pcall(fn, ...))
  if not result[1] then names.fail("%s: %s", what, tostring(result[2])) end
  return table.unpack(result, 2, result.n)
end

-- ---- making one ----

-- The continuous variable that limited the most steps: its path and how often; nil when none did.
local function limited_by(engine, m)
  local counts, best, most = engine:limited(), nil, 0
  local at = 0
  for _, section in ipairs { "q", "v", "z" } do
    for _, part in ipairs(m.parts) do
      for _, e in ipairs(part.system[section]) do
        for i = 1, e.size do
          local count = counts[at + i]
          local name = e.vector and ("%s[%d]"):format(e.name, i) or e.name
          if count > most then best, most = model.join(part.path, name), count end
        end
        at = at + e.size
      end
    end
  end
  return best, most
end

local function stats_text(engine, m)
  local lines, values = {}, engine:stats()
  for _, key in ipairs(names.sorted_keys(values)) do lines[#lines + 1] = ("%-24s %12d"):format(key, values[key]) end
  local variable, times = limited_by(engine, m)
  if variable then lines[#lines + 1] = ("%-24s %12s  (%d times)"):format("steps_limited_by", variable, times) end
  return table.concat(lines, "\n")
end

local function stats_of(engine, m)
  return setmetatable({}, {
    __name = "saltus.stats",
    __index = function(_, key)
      if key == "reset" then return function() engine:reset_statistics() end end
      if key == "limited_by" then return (limited_by(engine, m)) end
      local value = engine:stats()[key]
      if value == nil then names.fail("%s", names.unknown("statistic", key, names.sorted_keys(engine:stats()))) end
      return value
    end,
    __newindex = function() names.fail("statistics are read-only; sim.stats:reset() clears them") end,
    __pairs = function() return next, engine:stats(), nil end,
    __tostring = function() return stats_text(engine, m) end,
  })
end

local assigned = {
  monitor = function(self, fn)
    if fn ~= nil and type(fn) ~= "function" then
      names.fail("sim.monitor must be a function(ctx) or nil, got %s", names.show(fn))
    end
    self.inner.monitor = fn
    local engine, view, whole = self.core, self.inner.seen, self.model.name
    self.core:set_monitor(fn and function()
      outcome.reset()
      return shim.judge(engine, fn(view), "the monitor", whole)
    end)
  end,
  target_realtime_rate = function(self, rate)
    if type(rate) ~= "number" or not (rate >= 0) then
      names.fail("target_realtime_rate must be a number of simulated seconds per second, or 0; got %s",
        names.show(rate))
    end
    self.inner.target_realtime_rate = rate
    self.core:set_target_realtime_rate(rate)
  end,
}

local may_be_nil = { status = true, failure = true, monitor = true, given = true }

local function refuse_field(key)
  local known = names.sorted_keys(methods)
  for _, field in ipairs { "context", "stats", "integrator", "model", "system", "options", "status", "failure",
    "warnings", "monitor", "target_realtime_rate", "actual_realtime_rate" } do
    known[#known + 1] = field
  end
  names.fail("%s", names.unknown("field %s of the simulator", key, known))
end

local meta = {
  __name = "saltus.simulator",
  __index = function(self, key)
    if methods[key] then return methods[key] end
    if key == "actual_realtime_rate" then return self.core:actual_realtime_rate() end
    local value = rawget(self, "inner")[key]
    if value == nil and not may_be_nil[key] then refuse_field(key) end
    return value
  end,
  __newindex = function(self, key, value)
    local assign = assigned[key]
    if not assign then
      names.fail("%s", names.unknown("field of the simulator that can be set", key, names.sorted_keys(assigned)))
    end
    assign(self, value)
  end,
}

local function needed_inputs(m)
  for _, part in ipairs(m.parts) do
    for _, e in ipairs(part.system.inputs) do
      if e.required then return require("saltus.unfed").needed(m) end
    end
  end
  return {}
end

local function is_constrained(m)
  for _, system in ipairs(m.systems) do
    if system.constraints or system.constraint_rates then return true end
  end
  return false
end

-- How many elements x has, the characteristic time, how many of x are q and v.
local function extent_of(m, o)
  local n = { q = 0, v = 0, z = 0 }
  for _, part in ipairs(m.parts) do
    for section in pairs(n) do
      for _, e in ipairs(part.system[section]) do n[section] = n[section] + e.size end
    end
  end
  return n.q + n.v + n.z, o.characteristic_time, n
end

function simulator.new(system, given)
  local m = model.of(system, "saltus.simulator")
  local o = complete(options.check(given, options.simulator, "saltus.simulator"), m, "saltus.simulator")
  local engine = protected("saltus.simulator", core.simulator, describe(m), o, o.start_time)
  local closure = shim.bind(engine, m)
  context.introduce(engine, m)
  if is_constrained(m) then -- once more, now that the number of residuals can be asked
    local sizes = require("saltus.residuals").count(engine, m)
    engine = protected("saltus.simulator", core.simulator, describe(m, sizes), o, o.start_time)
    closure = shim.bind(engine, m, sizes)
    context.introduce(engine, m)
  end
  local self = { core = engine, model = m, system = system, options = o, given = given, closure = closure }
  self.needed = needed_inputs(m)
  self.context = context.new(engine, m, context.RUN, true)
  self.stats = stats_of(engine, m)
  self.integrator = integrator.new(engine, function(option, value)
    local said = { [option] = value } -- a clone and another integrator keep it
    for key, other in pairs(rawget(self, "given") or {}) do
      if key ~= option then said[key] = other end
    end
    rawset(self, "given", said)
  end, function() return extent_of(m, o) end)
  self.inner = { seen = context.new(engine, m, context.RUN, false), target_realtime_rate = o.target_realtime_rate,
    warnings = {} }
  return setmetatable(self, meta)
end

-- ---- deeds ----

-- Said once: in sim.warnings, and through Lua's own warn (lua5.4 -W shows it).
local function look_for_stiffness(self)
  local list = self.inner.warnings
  list[1] = trouble.stiffness(self)
  if list[1] then warn("saltus: ", self.model.name, " is ", list[1].message) end
end

-- What the engine answered: a status, or an error raised.
local function conclude(self, ...)
  if not self.inner.warnings[1] then look_for_stiffness(self) end
  local status, failure, object = trouble.read(self, ...)
  self.inner.status = status
  self.inner.failure = failure
  if failure then error(object, 0) end
  return status
end

-- Before a run goes on. Outcomes that were made meanwhile are nobody's.
local function at_rest(self, complaint)
  if self.core:running() then names.fail("%s", complaint) end
  outcome.reset()
end

-- Before what may start the run.
local function check_inputs(self)
  if self.needed[1] and not self.core:initialized() then
    require("saltus.unfed").check(self.core, self.model, self.needed)
  end
end

local RUNS = "the simulator is already advancing; a closure cannot advance it"
local SCHEDULES = "a closure cannot schedule events; let it write the discrete variable of an event with next_time"
local LOOKS = "state_at can be asked between calls only"

local function finite_time(t, what)
  if type(t) ~= "number" then names.fail("%s: time must be a number of seconds, got %s", what, names.show(t)) end
  if t ~= t then names.fail("%s: time must be a number, got NaN", what) end
  return t
end

local function ahead(self, t, what)
  finite_time(t, what)
  local now = self.core:time(context.RUN)
  if t < now then
    names.fail("%s(%.17g): time is already %.17g and cannot go back; set sim.context.time and initialize", what, t, now)
  end
  return t
end

local start_fields = { suppress_initialization_events = true, consistent = true }

function methods:initialize(how)
  at_rest(self, RUNS)
  for key in pairs(how or {}) do
    if not start_fields[key] then
      names.fail("%s", names.unknown("option %s of initialize", key,
        { "suppress_initialization_events", "consistent" }))
    end
  end
  how = how or {}
  check_inputs(self)
  return conclude(self, self.core:initialize(how.suppress_initialization_events, how.consistent))
end

function methods:advance_to(t)
  at_rest(self, RUNS)
  check_inputs(self)
  return conclude(self, self.core:advance_to(ahead(self, t, "advance_to")))
end

function methods:advance_pending_events()
  at_rest(self, RUNS)
  check_inputs(self)
  return conclude(self, self.core:advance_pending_events())
end

-- dt s more in whole steps of max_step, at most `max_steps` of them; answers the share of a step left, for drawing.
function methods:advance_frame(dt, max_steps)
  at_rest(self, RUNS)
  local step = self.core:integrator().maximum_step_size
  if step == math.huge then names.fail("advance_frame needs max_step, the size of its steps in s") end
  if type(dt) ~= "number" or not (dt >= 0 and dt < math.huge) then
    names.fail("advance_frame: dt must be a number of seconds, got %s", names.show(dt))
  end
  check_inputs(self)
  local result = table.pack(self.core:advance_frame(dt, step, max_steps or 8))
  conclude(self, table.unpack(result, 2, result.n))
  return result[1]
end

-- The whole run as a string: context, timers, armed witnesses, step size, random streams.
function methods:save() return self.core:save() end

-- Back to where `saved` was made; go on from there. Logs forget what lies ahead.
function methods:load(saved)
  if type(saved) ~= "string" then names.fail("load takes what save answered, got %s", names.show(saved)) end
  local code = self.core:load(saved)
  if code == -1 then names.fail("load: not enough memory") end
  if code ~= 0 then names.fail("load: this was not saved by a simulator of %q, or it is damaged", self.model.name) end
end

-- 16 hex digits of time, state and parameters: equal runs have equal ones.
function methods:hash() return self.core:hash() end

-- Another simulator at the same point of the same run; it has no monitor and no logs.
function methods:clone()
  local other = simulator.new(self.system, self.given)
  other:load(self:save())
  return other
end

-- Times within 4 ulp are one instant.
local function same_instant(a, b)
  return a == b or math.abs(a - b) <= 0x1p-50 * math.max(math.abs(a), math.abs(b))
end

-- for t, ctx in sim:steps(stop) do: after every step; with `every`, at its multiples.
function methods:steps(stop, every)
  at_rest(self, RUNS)
  ahead(self, stop, "steps")
  if every ~= nil and not (type(every) == "number" and every > 0) then
    names.fail("steps: every must be a number of seconds greater than 0, got %s", names.show(every))
  end
  check_inputs(self)
  local engine, seen = self.core, self.inner.seen
  local view = context.new(engine, self.model, context.VIEW, false)
  local ended = false
  local function step()
    outcome.reset() -- the loop's body may have made one
    local status = conclude(self, engine:step(stop))
    ended = status.reason == "reached_termination" or status.time >= stop
    return status.time
  end
  if not every then
    return function()
      if ended then return nil end
      return step(), seen
    end
  end
  local now = engine:time(context.RUN)
  local k = math.floor(now / every) + 1
  if same_instant(k * every, now) then k = k + 1 end
  return function()
    local t = k * every
    while t > now and not same_instant(t, now) and not ended do now = step() end
    if same_instant(t, now) then
      k = k + 1
      return t, seen
    end
    if t > now then return nil end
    k = k + 1
    if not engine:state_at(t) then
      names.fail("steps: t = %.17g is gone; was the simulator advanced inside the loop?", t)
    end
    return t, view
  end
end

function methods:state_at(t)
  at_rest(self, LOOKS)
  finite_time(t, "state_at")
  if not self.core:state_at(t) then
    names.fail("state_at(%.17g): only the last step can be looked into, and it ended at %.17g", t, self.core:time(0))
  end
  return context.new(self.core, self.model, context.VIEW, false)
end

-- What the sampled updates would write now, when all share one timing: a read-only context
-- after them, x[n+1] = f(n, x, u). The run stays as it is.
function methods:sampled()
  at_rest(self, LOOKS)
  local period, why = self.model:sampling()
  if not period then names.fail("sampled: %s", why) end
  local status, failure, object = trouble.read(self, self.core:sampled())
  if not status then
    self.inner.failure = failure
    error(object, 0)
  end
  return context.new(self.core, self.model, context.VIEW, false)
end

local function schedule(self, path, t, what)
  at_rest(self, SCHEDULES)
  local part, event = self.model:event(path)
  if not part then names.fail("%s: %s", what, event) end
  if event.trigger ~= "demand" then
    names.fail("%s: event %q has its own trigger; only an event with at = \"demand\" can be asked for", what, path)
  end
  local code = self.core:schedule(part, event.index, t)
  if code ~= 0 then names.fail("%s: %s", what, core.status_text(code)) end
end

function methods:schedule(t, path)
  schedule(self, path, ahead(self, t, "schedule"), "schedule")
end

function methods:demand(path)
  schedule(self, path, nil, "demand")
end

-- What Drake's simulator configuration holds: the integrator, its sizes, the start and the pace.
-- With a table it applies that; what the table leaves out stays as it is.
function methods:configuration(given)
  local i, now = self.core:integrator(), self.core:time(context.RUN)
  local own = { integrator = i.name, max_step = i.maximum_step_size, fixed_step = i.fixed_step_mode,
    accuracy = i.fixed_step_mode and 0 or self.core:initialized() and i.accuracy_in_use or i.target_accuracy,
    start_time = now, target_realtime_rate = self.inner.target_realtime_rate }
  if given == nil then return own end
  for key in pairs(given) do
    if own[key] == nil then
      names.fail("%s", names.unknown("field %s of a configuration", key, names.sorted_keys(own)))
    end
  end
  local function wanted(key) if given[key] ~= nil then return given[key] end return own[key] end
  local accuracy = wanted "accuracy"
  self:set_integrator(wanted "integrator", { max_step = wanted "max_step", fixed_step = wanted "fixed_step",
    accuracy = accuracy ~= 0 and accuracy or nil })
  self.target_realtime_rate = wanted "target_realtime_rate"
  if wanted "start_time" ~= now then self.context.time = wanted "start_time" end
end

function methods:set_integrator(name, given)
  local merged = {} -- what was said when the simulator was made still holds, unless said anew
  for key, value in pairs(self.given or {}) do merged[key] = value end
  for key, value in pairs(given or {}) do merged[key] = value end
  merged.integrator = name
  local o = complete(options.check(merged, options.simulator, "set_integrator"), self.model, "set_integrator")
  protected("set_integrator", self.core.set_integrator, self.core, o)
end

-- Seconds to which an isolated event is known; nil when events are not isolated.
function methods:window() return self.core:window() end

function methods:set_context_accuracy(accuracy)
  if accuracy ~= false and not (type(accuracy) == "number" and accuracy > 0) then
    names.fail("context accuracy must be a number greater than 0, or false for none; got %s", names.show(accuracy))
  end
  self.core:set_context_accuracy(accuracy or nil)
end

-- fn(time) after every 64th step; never changes a step.
function methods:on_progress(fn) self.core:set_progress(fn, 64) end

function methods:recorder(channels, every) return require("saltus.recorder").new(self, channels, every) end

function methods:time_rhs(n) return self.core:time_rhs(n) end

names.with_colon(methods, meta.__name)

return simulator
