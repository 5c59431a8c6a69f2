-- The simulator: the engine's object with names, checks and words around it. What every run needs is here; the
-- rest is loaded when first asked for: deeds.lua, stats.lua, integrator.lua.
local context = require "saltus.context"
local model = require "saltus.model"
local names = require "saltus.names"
local options = require "saltus.options"
local outcome = require "saltus.outcome"
local prepare = require "saltus.prepare"
local running = require "saltus.running"
local shim = require "saltus.shim"

local simulator = {}

local methods = {}

-- A clone and another integrator keep what was set.
local function remember(self, option, value)
  local said = { [option] = value }
  for key, other in pairs(rawget(self, "given") or {}) do
    if key ~= option then said[key] = other end
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

-- Made when first asked for.
local lazy = {
  stats = function(self) return require("saltus.stats").new(self.core, self.model) end,
  integrator = function(self)
    return require("saltus.integrator").new(self.core, function(option, value) remember(self, option, value) end,
      function() return prepare.extent_of(self.model, self.options) end)
  end,
}

local function refuse_field(self, key)
  if key == "time" or type(key) == "string" and (self.model:has_parts_under(key) or self.model:resolve(key)) then
    names.fail("the simulator has no field %q; the values of its model are in sim.context: sim.context.%s", key, key)
  end
  local known = names.sorted_keys(methods)
  for name in pairs(require "saltus.deeds") do known[#known + 1] = name end
  for _, field in ipairs { "context", "stats", "integrator", "model", "system", "options", "status", "failure",
    "warnings", "monitor", "target_realtime_rate", "actual_realtime_rate", "publish_every_step",
    "publish_at_initialization" } do
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
    if value ~= nil or may_be_nil[key] then return value end
    if lazy[key] then
      rawset(self, key, lazy[key](self))
      return rawget(self, key)
    end
    return require("saltus.deeds")[key] or refuse_field(self, key)
  end,
  __tostring = function(self)
    return ("simulator of %s at t = %.10g s (%s)"):format(self.model.name, self.core:time(context.RUN),
      self.core:integrator().name)
  end,
  __newindex = function(self, key, value)
    local assign = assigned[key]
    if not assign then
      names.fail("%s", names.unknown("field of the simulator that can be set", key, names.sorted_keys(assigned)))
    end
    assign(self, value)
  end,
}

function simulator.new(system, given)
  local m = model.of(system, "saltus.simulator", model.LOOPS_TOO)
  local o = prepare.complete(options.check(given, options.simulator, "saltus.simulator"), m, "saltus.simulator")
  local engine = prepare.engine(m, o)
  local closure = shim.bind(engine, m)
  context.introduce(engine, m)
  if prepare.is_constrained(m) then -- once more, now that the number of residuals can be asked
    local sizes = require("saltus.residuals").count(engine, m)
    engine = prepare.engine(m, o, sizes)
    closure = shim.bind(engine, m, sizes)
    context.introduce(engine, m)
  end
  local self = { core = engine, model = m, system = system, options = o, given = given, closure = closure }
  self.needed = prepare.needed_inputs(m)
  self.context = context.new(engine, m, context.RUN, true)
  self.inner = { seen = context.new(engine, m, context.RUN, false), target_realtime_rate = o.target_realtime_rate,
    publish_every_step = o.publish_every_step, publish_at_initialization = o.publish_at_initialization, warnings = {} }
  setmetatable(self, meta)
  if type(o.jacobian) == "function" then require("saltus.jacobian").give(self, o) end
  return self
end

-- ---- deeds ----

local start_fields = { suppress_initialization_events = true, consistent = true }

function methods:initialize(how)
  running.at_rest(self, running.RUNS)
  for key in pairs(how or {}) do
    if not start_fields[key] then
      names.fail("%s", names.unknown("option %s of initialize", key,
        { "suppress_initialization_events", "consistent" }))
    end
  end
  how = how or {}
  running.check_inputs(self)
  return running.conclude(self, self.core:initialize(how.suppress_initialization_events, how.consistent))
end

function methods:advance_to(t)
  running.at_rest(self, running.RUNS)
  running.check_inputs(self)
  return running.conclude(self, self.core:advance_to(running.ahead(self, t, "advance_to")))
end

function methods:advance_pending_events()
  running.at_rest(self, running.RUNS)
  running.check_inputs(self)
  return running.conclude(self, self.core:advance_pending_events())
end

names.with_colon(methods, meta.__name)

return simulator
