-- saltus.integrator { ... }: an integrator without a simulator, on a plain x' = f(t, x).
--
--   local i = saltus.integrator { f = function(t, x, dx) dx[1] = -x[1] end, x = { 1 }, accuracy = 1e-9 }
--   i:integrate_with_multiple_steps_to_time(1)
--   print(i.time, i.x[1], i:get_num_steps_taken())
--
-- f may use `x` and `dx` until it returns. A `witness` is a function of (t, x): steps end where it reaches zero.
local core = require "saltus.core"
local integrator_api = require "saltus.simulation.integrator_api"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local integrator_options = require "saltus.simulation.integrator_options"
local options = require "saltus.simulation.options"
local build = require "saltus.simulation.build"

local standalone_integrator = {}

local WHAT = "saltus.integrator"
local code = core.constants.status

local methods = {}

local function check_numbers(list, what, size)
  names.check(type(list) == "table", list, "%s: %s must be a list of numbers", WHAT, what)
  if size then names.check(#list == size, #list, "%s: %s must have %d numbers", WHAT, what, size) end
  for i, value in ipairs(list) do
    names.check(type(value) == "number", value, "%s: %s[%d] must be a number", WHAT, what, i)
  end
end

local function check(given)
  local o = options.check(given, integrator_options.integrator, WHAT)
  names.check(o.f ~= nil, nil, "%s: f must be a function", WHAT)
  check_numbers(o.x, "x")
  if o.weights then check_numbers(o.weights, "weights", #o.x) end
  require("saltus.simulation.method_checks").check_band(o, #o.x, WHAT)
  if o.mass then
    local content = { q = {}, v = {}, z = { { name = "x", size = #o.x } } }
    o.mass = require("saltus.model.mass_matrix").read(o.mass, content, WHAT)
  end
  local method = build.choose_method(o, o.mass, WHAT)
  names.fail_if(o.mass and not method.mass,
    "%s: integrator %q takes no mass matrix; radau5 and rodas4 do", WHAT, o.integrator)
  build.complete_steps(o, method, WHAT)
  return o
end

local function make(o)
  local slopes = type(o.jacobian) == "function"
    and require("saltus.simulation.jacobian").by_number(o.jacobian, #o.x, o.jacobian_pattern) or nil
  return build.call_engine(WHAT, core.integrator, o.f, o.witness, o, o.time, o.x, o.weights,
    o.error_weights == "relative", o.q, o.v, slopes, o.mass)
end

local function step_failed(engine)
  local t, step, element, value, not_finite = engine:failed_step()
  if not element then
    return numerals.format("the step from t = %t failed: f refuses every step down to %.3g s", t, step)
  elseif not_finite then
    return numerals.format("the step from t = %t failed: the derivative or value of x[%d] is %s", t, element,
      names.show(value))
  end
  return numerals.format("the step from t = %t failed: x[%d] needs steps below the minimum (%.3g s)", t, element,
    engine:integrator().working_minimum_step_size)
end

local complaints = {
  [code.ESTEP] = step_failed,
  [code.ETIME] = function(engine) return numerals.format("time is %.17g and cannot go back", (engine:state())) end,
  [code.ESTATE] = function() return "a single fixed step needs fixed step mode" end,
}

local function raise_or_return(self, what, status, ...)
  if status == 0 then return ... end
  local complaint = complaints[status]
  return names.fail("%s: %s", what, complaint and complaint(self.engine) or core.status_text(status))
end

local function time(t, what)
  names.check(type(t) == "number" and t == t, t, "%s: time must be a number", what)
  return t
end

local function get_ready(self)
  if not self.engine:integrator().is_initialized then self.engine:initialize() end
end

local INNER = {} -- the key of what this file alone uses; no table with weak keys, which collects long chains slowly

function methods:initialize() self[INNER].engine:initialize() end

-- Restores the initial options, time and x.
function methods:reset()
  local inner = self[INNER]
  inner.engine = make(inner.options)
end

-- Takes one step, or up to max_steps_per_call; returns the reason of its end.
function methods:integrate_no_further_than_time(publish, update, boundary)
  local inner, what = self[INNER], "integrate_no_further_than_time"
  get_ready(inner)
  local most = inner.options.max_steps_per_call
  local result = raise_or_return(inner, what, inner.engine:advance(time(publish, what), time(update, what),
    time(boundary, what), math.max(most, 1)))
  return most == 0 and result == "reached_step_limit" and "time_has_advanced" or result
end

-- Advances exactly to t, in at most max_steps_per_call steps; returns the reason of its end.
function methods:integrate_with_multiple_steps_to_time(t)
  local inner, what = self[INNER], "integrate_with_multiple_steps_to_time"
  get_ready(inner)
  return raise_or_return(inner, what, inner.engine:advance(math.huge, math.huge, time(t, what),
    inner.options.max_steps_per_call))
end

-- Takes one step of any length in fixed step mode; returns false if f or the method needs a shorter one.
function methods:integrate_with_single_fixed_step_to_time(t)
  local inner, what = self[INNER], "integrate_with_single_fixed_step_to_time"
  get_ready(inner)
  return raise_or_return(inner, what, inner.engine:single(time(t, what)))
end

local assigned = {
  time = function(inner, t)
    local _, x = inner.engine:state()
    inner.engine:set_state(time(t, "time"), x)
  end,
  x = function(inner, x)
    local t, was = inner.engine:state()
    check_numbers(x, "x", #was)
    inner.engine:set_state(t, x)
  end,
}

local meta = {
  __name = "saltus.integrator",
  __index = function(self, key)
    if methods[key] then return methods[key] end
    local inner = self[INNER]
    if key == "time" then return (inner.engine:state()) end
    if key == "x" then return select(2, inner.engine:state()) end
    local o = inner.options
    local function extent() return #o.x, 1, o end
    return integrator_api.method(inner.engine, key, function() end, extent, methods)
  end,
  __newindex = function(self, key, value)
    if not assigned[key] then
      names.fail_unknown("field of the integrator that can be set", key, { "time", "x" })
    end
    assigned[key](self[INNER], value)
  end,
  __tostring = function(self) return integrator_api.text(self[INNER].engine) end,
}

function standalone_integrator.new(given)
  local o = check(given)
  return setmetatable({ [INNER] = { engine = make(o), options = o } }, meta)
end

return standalone_integrator
