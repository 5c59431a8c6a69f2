-- The simulator: the engine's object with names, checks and messages. This file has what every run needs; the rest is
-- loaded at first use: simulator_methods.lua, statistics.lua, integrator_api.lua.
local context = require "saltus.simulation.context"
local model = require "saltus.model.flat_model"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local options = require "saltus.simulation.options"
local outcome = require "saltus.simulation.outcome"
local build = require "saltus.simulation.build"
local preconditions = require "saltus.simulation.preconditions"
local readonly = require "saltus.util.readonly"
local status = require "saltus.simulation.status"
local adapter = require "saltus.closure.adapter"

local simulator = {}

local methods = {}

local engine_of = setmetatable({}, { __mode = "k" }) -- of each simulator

local function fields() return require "saltus.simulation.simulator_fields" end

local less_used

local function methods_used_less()
  less_used = less_used or require "saltus.simulation.simulator_methods" -- which is long
  return less_used
end

local may_be_nil = { status = true, failure = true, monitor = true, given = true, origin = true, lockstep = true }

-- Made at first use.
local lazy = {
  stats = function(self)
    return require("saltus.simulation.statistics").new(self.core, self.model,
      function() return self.inner.stories and self.inner.stories.statistics end)
  end,
  integrator = function(self)
    self.inner.is_changed = true -- it has many setters
    return require("saltus.simulation.integrator_api").new(self.core,
      function(option, value) fields().remember(self, option, value) end,
      function() return build.size_of(self.model, self.options) end)
  end,
}

local meta = {
  __name = "saltus.simulator",
  __index = function(self, key)
    if methods[key] then return methods[key] end
    if key == "actual_realtime_rate" then return self.core:actual_realtime_rate() end
    if key == "seed" then return math.tointeger(self.options.seed) end
    local value = rawget(self, "inner")[key]
    if value ~= nil or may_be_nil[key] then return value end
    if lazy[key] then
      rawset(self, key, lazy[key](self))
      return rawget(self, key)
    end
    return methods_used_less()[key] or fields().raise_no_field(self, key, methods)
  end,
  __tostring = function(self)
    return numerals.format("simulator of %s at t = %.10g s (%s)", self.model.name, self.core:time(context.RUN),
      self.core:integrator().name)
  end,
  __newindex = function(self, key, value) fields().assign(self, key, value) end,
}

local function refuse_option(key)
  names.fail("sim.options lists what the simulator was made with; sim:configuration { %s = ... } changes it", key)
end

function simulator.new(system, given)
  local m = model.of(system, "saltus.simulator", model.LOOPS_TOO)
  local o = build.complete_options(options.check(given, options.simulator, "saltus.simulator"), m, "saltus.simulator")
  build.check_modes(m)
  local lockstep = build.check_lockstep(m, o)
  local engine = build.engine(m, o)
  local closure, closure_warnings = adapter.bind(engine, m, o.compile)
  context.introduce(engine, m)
  if build.is_constrained(m) then -- again, with the number of residuals
    local sizes = require("saltus.simulation.residual_count").count(engine, m)
    engine = build.engine(m, o, sizes)
    closure, closure_warnings = adapter.bind(engine, m, o.compile, sizes)
    context.introduce(engine, m)
  end
  local self = { core = engine, model = m, system = system, given = given, closure = closure,
    options = readonly.of(o, "options", refuse_option) }
  self.needed = build.needed_inputs(m)
  self.context = context.new(engine, m, context.RUN, true)
  -- is_changed: something may have been set or added that a load does not undo
  self.inner = { seen = context.new(engine, m, context.RUN, false), target_realtime_rate = o.target_realtime_rate,
    publish_every_step = o.publish_every_step, publish_at_initialization = o.publish_at_initialization, warnings = {},
    closure_warnings = closure_warnings, lockstep = lockstep }
  setmetatable(self, meta)
  engine_of[self] = engine
  if type(o.jacobian) == "function" then require("saltus.simulation.jacobian").give(self, o) end
  model.complete(system)
  return self
end

-- ---- methods of every run ----

function methods:initialize(how)
  preconditions.assert_idle(self, preconditions.RUNS)
  how = how == nil and {} or how
  names.check(type(how) == "table", how, "initialize takes a table of options")
  names.check_keys(how, { "suppress_initialization_events", "consistent" }, "option %s of initialize")
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

-- Returns another simulator at the same point of the same run with the present settings, without monitor and logs.
function methods:clone()
  preconditions.assert_idle(self, preconditions.KEEPS)
  local given, made_with = self.inner.given_now or self.given, self.inner.made_with
  local made = names.merged(given)
  -- `auto` is created for one accuracy: its memory for dense output does not change when another accuracy is set.
  if made_with then made.accuracy = made_with.accuracy end
  local other = simulator.new(self.system, made)
  if made_with then other.integrator:set_target_accuracy(given.accuracy) end
  for i, weight in ipairs((self.core:weights())) do other.core:set_weight(i, weight) end
  if self.inner.context_accuracy ~= nil then other:set_context_accuracy(self.inner.context_accuracy) end
  local stories = self.inner.stories
  if stories then require("saltus.story").copy(self, other) end
  if self.inner.watches then require("saltus.watch").copy(self, other, stories and stories.watching) end
  other:load(self:save())
  return other
end

function methods:recorder(channels, every) return require("saltus.simulation.recorder").new(self, channels, every) end

names.with_colon(methods, meta.__name)

-- ---- the usual call ----

local advance_with_checks = methods.advance_to

-- Most calls get there, and there is nothing to report: one call of the engine. So an advance without a step takes a
-- third of the time.
function methods.advance_to(self, t)
  local engine = engine_of[self]
  if not engine or outcome.last_made or context.shown[engine] then return advance_with_checks(self, t) end
  local time, reason, a, b, c, d, e, f, g, h = engine:reach(t)
  if time == nil then return advance_with_checks(self, t) end
  if reason == nil then return status.set_reached(self, time) end
  if type(reason) == "table" then return status.set_reached(self, time, t, reason) end
  return status.raise_or_return_status(self, time, reason, a, b, c, d, e, f, g, h)
end

return simulator
