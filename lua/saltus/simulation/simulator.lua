-- The simulator: the engine's object with names, checks and messages around it. What every run needs is here; the
-- rest is loaded when first used: simulator_methods.lua, statistics.lua, integrator_api.lua.
local context = require "saltus.simulation.context"
local model = require "saltus.model.flat_model"
local names = require "saltus.util.identifiers"
local numerals = require "saltus.util.numerals"
local options = require "saltus.simulation.options"
local build = require "saltus.simulation.build"
local preconditions = require "saltus.simulation.preconditions"
local status = require "saltus.simulation.status"
local outcome = require "saltus.simulation.outcome"
local adapter = require "saltus.closure.adapter"

local simulator = {}

local methods = {}

local function methods_used_less() return require "saltus.simulation.simulator_methods" end

-- ---- fields that can be set, and those that there are not ----

-- A clone and another integrator keep what was set.
local function remember(self, option, value)
  local said = { [option] = value }
  for key, other in pairs(rawget(self, "given") or {}) do
    if key ~= option then said[key] = other end
  end
  if option == "accuracy" and not self.inner.made_with then
    self.inner.made_with = { accuracy = (self.inner.given_now or rawget(self, "given") or {}).accuracy }
  end
  rawset(self, "given", said)
  if self.inner.given_now then self.inner.given_now[option] = value end
end

-- sim.publish_every_step = true: publishes on demand after each step from now on; likewise the other.
local function assign_forced(option)
  return function(self, value)
    if type(value) ~= "boolean" then names.fail("%s must be true or false, got %s", option, names.show(value)) end
    self.inner[option] = value
    self.core:set_forced(self.inner.publish_every_step, self.inner.publish_at_initialization)
    remember(self, option, value)
  end
end

local assigned = {
  publish_every_step = assign_forced "publish_every_step",
  publish_at_initialization = assign_forced "publish_at_initialization",
  monitor = function(self, fn)
    if fn ~= nil and type(fn) ~= "function" then
      names.fail("sim.monitor must be a function(ctx) or nil, got %s", names.show(fn))
    end
    self.inner.monitor = fn
    local engine, view, whole = self.core, self.inner.seen, self.model.name
    self.core:set_monitor(fn and function()
      outcome.reset()
      return require("saltus.closure.adapter_runtime").outcome_code(engine, fn(view), "the monitor", whole)
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

local function assign_field(self, key, value)
  local assign = assigned[key]
  if not assign then
    names.fail("%s", names.unknown("field of the simulator that can be set", key, names.sorted_keys(assigned)))
  end
  assign(self, value)
end

local function raise_no_field(self, key)
  if key == "time" or type(key) == "string" and (self.model:has_parts_under(key) or self.model:resolve(key)) then
    names.fail("the simulator has no field %q; the values of its model are in sim.context: sim.context.%s", key, key)
  end
  local known = names.sorted_keys(methods)
  for name in pairs(methods_used_less()) do known[#known + 1] = name end
  for _, field in ipairs { "context", "stats", "integrator", "model", "system", "options", "status", "failure",
    "warnings", "monitor", "target_realtime_rate", "actual_realtime_rate", "publish_every_step",
    "publish_at_initialization" } do
    known[#known + 1] = field
  end
  names.fail("%s", names.unknown("field %s of the simulator", key, known))
end

-- ---- the object ----

local may_be_nil = { status = true, failure = true, monitor = true, given = true }

-- Made when first asked for.
local lazy = {
  stats = function(self) return require("saltus.simulation.statistics").new(self.core, self.model) end,
  integrator = function(self)
    return require("saltus.simulation.integrator_api").new(self.core,
      function(option, value) remember(self, option, value) end,
      function() return build.size_of(self.model, self.options) end)
  end,
}

local meta = {
  __name = "saltus.simulator",
  __index = function(self, key)
    if methods[key] then return methods[key] end
    if key == "actual_realtime_rate" then return self.core:actual_realtime_rate() end
    local value = rawget(self, "inner")[key]
    if value ~= nil or may_be_nil[key] then return value end
    if lazy[key] then
      rawset(self, key, lazy[key](self))
      return rawget(self, key)
    end
    return methods_used_less()[key] or raise_no_field(self, key)
  end,
  __tostring = function(self)
    return numerals.format("simulator of %s at t = %.10g s (%s)", self.model.name, self.core:time(context.RUN),
      self.core:integrator().name)
  end,
  __newindex = function(self, key, value) assign_field(self, key, value) end,
}

function simulator.new(system, given)
  local m = model.of(system, "saltus.simulator", model.LOOPS_TOO)
  local o = build.complete_options(options.check(given, options.simulator, "saltus.simulator"), m, "saltus.simulator")
  build.check_modes(m)
  local engine = build.engine(m, o)
  local closure = adapter.bind(engine, m)
  context.introduce(engine, m)
  if build.is_constrained(m) then -- once more, now that the number of residuals can be asked
    local sizes = require("saltus.simulation.residual_count").count(engine, m)
    engine = build.engine(m, o, sizes)
    closure = adapter.bind(engine, m, sizes)
    context.introduce(engine, m)
  end
  local self = { core = engine, model = m, system = system, options = o, given = given, closure = closure }
  self.needed = build.needed_inputs(m)
  self.context = context.new(engine, m, context.RUN, true)
  self.inner = { seen = context.new(engine, m, context.RUN, false), target_realtime_rate = o.target_realtime_rate,
    publish_every_step = o.publish_every_step, publish_at_initialization = o.publish_at_initialization, warnings = {} }
  setmetatable(self, meta)
  if type(o.jacobian) == "function" then require("saltus.simulation.jacobian").give(self, o) end
  return self
end

-- ---- methods of every run ----

local start_fields = { suppress_initialization_events = true, consistent = true }

function methods:initialize(how)
  preconditions.assert_idle(self, preconditions.RUNS)
  if how ~= nil and type(how) ~= "table" then
    names.fail("initialize takes a table of options, got %s", names.show(how))
  end
  for key in pairs(how or {}) do
    if not start_fields[key] then
      names.fail("%s", names.unknown("option %s of initialize", key,
        { "suppress_initialization_events", "consistent" }))
    end
  end
  how = how or {}
  preconditions.check_inputs(self)
  return status.raise_or_return_status(self, self.core:initialize(how.suppress_initialization_events, how.consistent))
end

function methods:advance_to(t)
  preconditions.assert_idle(self, preconditions.RUNS)
  preconditions.check_inputs(self)
  preconditions.check_future_time(self, t, "advance_to")
  return status.raise_or_return_status(self, self.core:advance_to(t))
end

function methods:advance_pending_events()
  preconditions.assert_idle(self, preconditions.RUNS)
  preconditions.check_inputs(self)
  return status.raise_or_return_status(self, self.core:advance_pending_events())
end

-- `auto` is made for an accuracy: its room for dense output stays when another one is set.
local function made_as(given, accuracy)
  local made = {}
  for key, value in pairs(given) do made[key] = value end
  made.accuracy = accuracy
  return made
end

-- Another simulator at the same point of the same run, with the settings of now; it has no monitor and no logs.
function methods:clone()
  preconditions.assert_idle(self, preconditions.KEEPS)
  local given, made_with = self.inner.given_now or self.given, self.inner.made_with
  local other = simulator.new(self.system, made_with and made_as(given, made_with.accuracy) or given)
  if made_with then other.integrator:set_target_accuracy(given.accuracy) end
  for i, weight in ipairs((self.core:weights())) do other.core:set_weight(i, weight) end
  if self.inner.context_accuracy ~= nil then other:set_context_accuracy(self.inner.context_accuracy) end
  other:load(self:save())
  return other
end

names.with_colon(methods, meta.__name)

return simulator
