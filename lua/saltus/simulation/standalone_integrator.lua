-- saltus.integrator { ... }: an integrator without a simulator, on a plain x' = f(t, x).
--
--   local i = saltus.integrator { f = function(t, x, dx) dx[1] = -x[1] end, x = { 1 }, accuracy = 1e-9 }
--   i:integrate_with_multiple_steps_to_time(1)
--   print(i.time, i.x[1], i:get_num_steps_taken())
--
-- `x` and `dx` are lent to f until it returns. A `witness` is a function of (t, x): steps end where it comes to zero.
local core = require "saltus.core"
local integrator_api = require "saltus.simulation.integrator_api"
local names = require "saltus.util.identifiers"
local numerals = require "saltus.util.numerals"
local options = require "saltus.simulation.options"
local build = require "saltus.simulation.build"

local standalone_integrator = {}

local WHAT = "saltus.integrator"
local ESTEP, ETIME, ESTATE = -4, -9, -10

local methods = {}

local function check_numbers(list, what, size)
  if type(list) ~= "table" then names.fail("%s: %s must be a list of numbers, got %s", WHAT, what, names.show(list)) end
  if size and #list ~= size then names.fail("%s: %s must have %d numbers, got %d", WHAT, what, size, #list) end
  for i, value in ipairs(list) do
    if type(value) ~= "number" then
      names.fail("%s: %s[%d] must be a number, got %s", WHAT, what, i, names.show(value))
    end
  end
end

local function check_function(fn, what, needed)
  if type(fn) ~= "function" and (needed or fn ~= nil) then
    names.fail("%s: %s must be a function, got %s", WHAT, what, names.show(fn))
  end
end

local function check(given)
  local o = options.check(given, options.integrator, WHAT)
  check_function(o.f, "f", true)
  check_function(o.witness, "witness")
  check_numbers(o.x, "x")
  if o.weights then check_numbers(o.weights, "weights", #o.x) end
  require("saltus.simulation.method_checks").check_band(o, #o.x, WHAT)
  if o.mass then
    local content = { q = {}, v = {}, z = { { name = "x", size = #o.x } } }
    o.mass = require("saltus.model.mass_matrix").read(o.mass, content, WHAT)
    if o.integrator == "auto" then o.integrator = "radau5" end
    if not build.find_method(o.integrator, WHAT).mass then
      names.fail("%s: integrator %q takes no mass matrix; radau5 and rodas4 do", WHAT, o.integrator)
    end
  end
  if not build.find_method(o.integrator, WHAT).error_control then o.fixed_step = true end
  if o.fixed_step and o.max_step == math.huge then
    names.fail("%s: %s with fixed steps needs max_step, the size of a step in s", WHAT, o.integrator)
  end
  return o
end

local function make(o)
  local slopes = type(o.jacobian) == "function"
    and require("saltus.simulation.jacobian").by_number(o.jacobian, #o.x, o.jacobian_pattern) or nil
  local ok, made = pcall(core.integrator, o.f, o.witness, o, o.time, o.x, o.weights, o.error_weights == "relative",
    o.q, o.v, slopes, o.mass)
  if not ok then names.fail("%s: %s", WHAT, made) end
  return made
end

local function step_failed(engine)
  local t, step, element, value, not_finite = engine:failed_step()
  if not element then
    return numerals.format("the step from t = %.9g failed: f refuses every step down to %.3g s", t, step)
  elseif not_finite then
    return numerals.format("the step from t = %.9g failed: the derivative or value of x[%d] is %s", t, element,
      names.show(value))
  end
  return numerals.format("the step from t = %.9g failed: x[%d] needs steps below the minimum (%.3g s)", t, element,
    engine:integrator().working_minimum_step_size)
end

local complaints = {
  [ESTEP] = step_failed,
  [ETIME] = function(engine) return numerals.format("time is %.17g and cannot go back", (engine:state())) end,
  [ESTATE] = function() return "a single fixed step needs fixed step mode" end,
}

local function raise_or_return(self, what, status, ...)
  if status == 0 then return ... end
  local complaint = complaints[status]
  return names.fail("%s: %s", what, complaint and complaint(self.engine) or core.status_text(status))
end

local function time(t, what)
  if type(t) ~= "number" or t ~= t then names.fail("%s: time must be a number, got %s", what, names.show(t)) end
  return t
end

local function get_ready(self)
  if not self.engine:integrator().is_initialized then self.engine:initialize() end
end

local inners = setmetatable({}, { __mode = "k" })

function methods:initialize() inners[self].engine:initialize() end

-- As it was made: options, time, x.
function methods:reset()
  local inner = inners[self]
  inner.engine = make(inner.options)
end

-- One step, or up to max_steps_per_call of them; returns what ended it.
function methods:integrate_no_further_than_time(publish, update, boundary)
  local inner, what = inners[self], "integrate_no_further_than_time"
  get_ready(inner)
  local most = inner.options.max_steps_per_call
  local result = raise_or_return(inner, what, inner.engine:advance(time(publish, what), time(update, what),
    time(boundary, what), math.max(most, 1)))
  return most == 0 and result == "reached_step_limit" and "time_has_advanced" or result
end

-- Exactly to t, with as many steps as it takes, or up to max_steps_per_call; returns what ended it.
function methods:integrate_with_multiple_steps_to_time(t)
  local inner, what = inners[self], "integrate_with_multiple_steps_to_time"
  get_ready(inner)
  return raise_or_return(inner, what, inner.engine:advance(math.huge, math.huge, time(t, what),
    inner.options.max_steps_per_call))
end

-- One step of fixed step mode, whatever its length; false: f or the method would need a shorter one.
function methods:integrate_with_single_fixed_step_to_time(t)
  local inner, what = inners[self], "integrate_with_single_fixed_step_to_time"
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
    local inner = inners[self]
    if key == "time" then return (inner.engine:state()) end
    if key == "x" then return select(2, inner.engine:state()) end
    local o = inner.options
    local function extent() return #o.x, 1, o end
    return integrator_api.method(inner.engine, key, function() end, extent, methods)
  end,
  __newindex = function(self, key, value)
    if not assigned[key] then
      names.fail("%s", names.unknown("field of the integrator that can be set", key, { "time", "x" }))
    end
    assigned[key](inners[self], value)
  end,
  __tostring = function(self) return integrator_api.text(inners[self].engine) end,
}

function standalone_integrator.new(given)
  local o = check(given)
  local self = setmetatable({}, meta)
  inners[self] = { engine = make(o), options = o }
  return self
end

return standalone_integrator
