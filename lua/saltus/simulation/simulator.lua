-- The simulator: the engine's object with names, checks and words around it. What every run needs is here; the
-- rest is loaded when first asked for: simulator_methods.lua, statistics.lua, integrator_api.lua.
local context = require "saltus.simulation.context"
local model = require "saltus.model.flat_model"
local names = require "saltus.util.identifiers"
local numerals = require "saltus.util.numerals"
local options = require "saltus.simulation.options"
local build = require "saltus.simulation.build"
local stepping = require "saltus.simulation.stepping"
local adapter = require "saltus.closure.adapter"

local simulator = {}

local methods = {}

local function fields() return require "saltus.simulation.simulator_fields" end

local may_be_nil = { status = true, failure = true, monitor = true, given = true }

-- Made when first asked for.
local lazy = {
  stats = function(self) return require("saltus.simulation.statistics").new(self.core, self.model) end,
  integrator = function(self)
    local function remember(option, value) fields().remember(self, option, value) end
    return require("saltus.simulation.integrator_api").new(self.core, remember,
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
    return require("saltus.simulation.simulator_methods")[key] or fields().refuse(self, key, methods)
  end,
  __tostring = function(self)
    return numerals.format("simulator of %s at t = %.10g s (%s)", self.model.name, self.core:time(context.RUN),
      self.core:integrator().name)
  end,
  __newindex = function(self, key, value) fields().assign(self, key, value) end,
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

-- ---- deeds ----

local start_fields = { suppress_initialization_events = true, consistent = true }

function methods:initialize(how)
  stepping.assert_idle(self, stepping.RUNS)
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
  stepping.check_inputs(self)
  return stepping.raise_or_return_status(self, self.core:initialize(how.suppress_initialization_events, how.consistent))
end

function methods:advance_to(t)
  stepping.assert_idle(self, stepping.RUNS)
  stepping.check_inputs(self)
  return stepping.raise_or_return_status(self, self.core:advance_to(stepping.check_future_time(self, t, "advance_to")))
end

function methods:advance_pending_events()
  stepping.assert_idle(self, stepping.RUNS)
  stepping.check_inputs(self)
  return stepping.raise_or_return_status(self, self.core:advance_pending_events())
end

names.with_colon(methods, meta.__name)

return simulator
