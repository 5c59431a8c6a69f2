-- The options of a simulator: one table for checks, help and documentation.
local names = require "saltus.util.names"

local options = {}

-- Old names of options and of their values, as in docs/renamed.md.
options.renamed = { interior = "interior_search" }
options.renamed_values = { event_state = { retake = "reintegrate" } }

local MAX_WATCHES = require("saltus.core").constants.limit.watches

local function positive(v) return v > 0 or nil, "must be greater than 0" end
local function not_negative(v) return v >= 0 or nil, "must not be negative" end
local function finite(v) return v > -math.huge and v < math.huge or nil, "must be finite" end
local function positive_finite(v) return v > 0 and v < math.huge or nil, "must be greater than 0 and finite" end
local function whole(v) return math.tointeger(v) and v >= 1 or nil, "must be a whole number of at least 1" end
local function room(v)
  local n = math.tointeger(v)
  return n and n >= 0 and n <= MAX_WATCHES or nil, ("must be a whole number from 0 to %d"):format(MAX_WATCHES)
end
local function whole_or_0(v) return math.tointeger(v) and v >= 0 or nil, "must be a whole number of at least 0" end
local function integer(v) return math.tointeger(v), "must be a whole number" end
options.rules = { not_negative = not_negative, finite = finite, whole_or_0 = whole_or_0 }

-- { lower = 2, upper = 2 }
local function half_bandwidths(t)
  for key in pairs(t) do
    if key ~= "lower" and key ~= "upper" then return ("has lower and upper, not %s"):format(names.show(key)) end
  end
  for _, key in ipairs { "lower", "upper" } do
    local v = t[key]
    if math.type(v) ~= "integer" or v < 0 then
      return ("needs %s, a whole number of at least 0, got %s"):format(key, names.show(v))
    end
  end
end

-- `default` nil: chosen by the engine, as `doc` says. `type`: one type name, or several with "|". `choices`: all values
-- of a string option.
options.simulator = {
  { name = "integrator", type = "string", default = "auto",
    doc = "method by name, or \"auto\": tsitouras5, dormand_prince8 for an accuracy of 1e-8 and finer, radau5 (rodas4 "
      .. "for few variables and an accuracy coarser than 2e-4) while the system is stiff (sim.stats.methods); "
      .. "radau5 with a mass matrix; default with a max_step: tsitouras5; "
      .. "\"drake\": runge_kutta3 with Drake's own defaults" },
  { name = "accuracy", type = "number", default = 1e-6, check = positive_finite,
    doc = "relative error that a step may make" },
  { name = "max_step", type = "number", default = math.huge, check = positive, unit = "s", doc = "longest step" },
  { name = "min_step", type = "number", default = 0, check = not_negative, unit = "s",
    doc = "shortest step; a step that needs a shorter one fails" },
  { name = "initial_step", type = "number", check = positive_finite, unit = "s",
    doc = "first step to attempt; default: 0.1 of max_step, or computed from the derivatives" },
  { name = "fixed_step", type = "boolean", default = false,
    doc = "all steps are max_step, without error control" },
  { name = "start_time", type = "number", default = 0, check = finite, unit = "s", doc = "time at initialization" },
  { name = "seed", type = "number", default = 0, check = integer, doc = "seed of all random streams" },
  { name = "isolation", type = "boolean|number", default = true, check = positive_finite,
    doc = "locate witness events inside a step: true, false, or the window in s" },
  { name = "error_weights", type = "string", default = "relative", choices = { "relative", "absolute" },
    doc = "measure errors of v and z relative to their size, or absolutely, as Drake does" },
  { name = "publish_every_step", type = "boolean", default = false,
    doc = "run the publishes with at = \"demand\" after every step" },
  { name = "publish_at_initialization", type = "boolean", default = false,
    doc = "run the publishes with at = \"demand\" at initialization" },
  { name = "target_realtime_rate", type = "number", default = 0, check = not_negative,
    doc = "simulated seconds per second; 0: as fast as possible" },
  { name = "max_events_per_instant", type = "number", default = 1000, check = whole,
    doc = "events or zero-length steps at one instant, before the run fails" },
  { name = "context_accuracy", type = "number|boolean", check = positive_finite,
    doc = "accuracy that determines the isolation window; default: accuracy; false: none" },
  { name = "characteristic_time", type = "number", default = 1, check = positive_finite, unit = "s",
    doc = "time scale of the model; the isolation window is 0.01 of it times the accuracy, "
      .. "or of the time to go to in a shorter run of less than 1 s" },
  { name = "dense_output", type = "string", default = "own", choices = { "own", "hermite" },
    doc = "interpolant inside a step: the method's own, or cubic Hermite" },
  { name = "event_state", type = "string", default = "interpolate", choices = { "interpolate", "reintegrate" },
    doc = "state at a witness event: interpolated, or integrated again to its time" },
  { name = "interior_search", type = "boolean", default = true,
    doc = "search inside steps for double crossings" },
  { name = "jacobian", type = "string|function", default = "forward", choices = { "forward", "central" },
    doc = "differences for the Jacobian of implicit integrators; or a function(ctx, j) that writes it: "
      .. "j.speed.height = -1 is the derivative of speed' by height; unwritten elements are 0" },
  { name = "jacobian_pattern", type = "string|table", default = "find", choices = { "find", "dense" },
    check_table = half_bandwidths,
    doc = "elements of the Jacobian that can differ from 0: found by probing for more than 16 variables, all, or a "
      .. "band { lower = 1, upper = 1 } of q, v, z in this order" },
  { name = "compile", type = "boolean", doc = "false: closures always run in Lua; default: the system's compile, then "
    .. "the environment's SALTUS_COMPILE (docs/compiler.md)" },
  { name = "profile", type = "boolean", default = false,
    doc = "measure the calls and the seconds of each closure; sim:programs() lists them" },
  { name = "throw_on_min_step", type = "boolean", default = true,
    doc = "fail at min_step; false: accept the step with any error" },
  { name = "max_steps_per_call", type = "number", default = 0, check = whole_or_0,
    doc = "largest number of steps of one advance; 0: no limit" },
  { name = "watch_capacity", type = "number", default = 0, check = room,
    doc = "room for watches that is reserved when the simulator is made; more are added as needed" },
}

-- The options of a simulator among the fields of a table, except the seed.
function options.besides_seed(fields)
  local out = {}
  for _, option in ipairs(options.simulator) do
    if option.name ~= "seed" then out[option.name] = fields[option.name] end
  end
  return out
end

-- integrator = "drake": the defaults of Drake's Simulator.
local presets = {
  drake = { integrator = "runge_kutta3", max_step = 0.1, accuracy = 1e-4, initial_step = 1e-4 },
}

-- Returns the error text for `value` of this option, or nil.
local function complaint(option, value)
  local kind = type(value)
  if not ("|" .. option.type .. "|"):find("|" .. kind .. "|", 1, true) then
    return ("must be a %s, got %s"):format(option.type:gsub("|", " or "), names.show(value))
  end
  if option.name == "context_accuracy" and value == true then return "must be a number or false, got true" end
  if kind == "table" then return option.check_table and option.check_table(value) end
  if kind == "function" then return nil end
  local renamed = (options.renamed_values[option.name] or {})[value]
  if renamed then return (": value %q is now %q"):format(value, renamed) end
  if option.choices and not names.index_of(option.choices, value) then
    return names.not_one_of(value, option.choices)
  end
  if kind ~= "number" then return nil end
  if value ~= value then return "must not be NaN" end
  if not option.check then return nil end
  local ok, rule = option.check(value)
  if not ok then return ("%s, got %s"):format(rule, names.show(value)) end
  return nil
end

local function check_names(given, list, what)
  if next(given) == nil then return end
  local known = names.of(list)
  for _, key in ipairs(names.sorted_keys(given)) do
    if names.index_of(known, options.renamed[key]) then
      names.fail("%s: option %q is now %q", what, key, options.renamed[key])
    elseif not names.index_of(known, key) and names.index_of(names.of(options.simulator), key) then
      names.fail("%s: %q is an option of saltus.simulator, not of this; known: %s", what, key,
        table.concat(known, ", "))
    end
  end
  names.check_keys(given, known, "option", what)
end

-- Returns a full table: the given values, then those of the preset, then the defaults.
function options.check(given, list, what)
  given = given or {}
  names.check(type(given) == "table", given, "%s: options must be a table", what)
  check_names(given, list, what)
  local preset = list == options.simulator and presets[given.integrator] or {}
  local full = {}
  for _, option in ipairs(list) do
    local key = option.name
    local value = given[key]
    if value ~= nil then
      local wrong = complaint(option, value)
      if wrong then names.fail("%s: option %q%s%s", what, key, wrong:find "^:" and "" or " ", wrong) end
    end
    if value == nil or preset[key] ~= nil and key == "integrator" then value = preset[key] end
    if value == nil then value = given[key] end
    if value == nil then value = option.default end
    full[key] = value
  end
  if not given.integrator and full.integrator and full.max_step < math.huge then
    full.integrator = "tsitouras5"
  end
  if list == options.simulator and full.context_accuracy == nil then full.context_accuracy = full.accuracy end
  -- With fixed steps the accuracy is only Newton's tolerance; its default is the method's own.
  if full.fixed_step and given.accuracy == nil and not preset.accuracy then full.accuracy = nil end
  return full
end

return options
