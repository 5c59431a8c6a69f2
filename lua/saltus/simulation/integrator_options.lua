-- The options of saltus.integrator, sim:set_integrator and saltus.delay_buffer, and how help shows options.
local names = require "saltus.util.names"
local options = require "saltus.simulation.options"

local integrator_options = {}

local MAX_NUMBERS = require("saltus.core").constants.limit.numbers

local rules = options.rules

local function size(v)
  local n = math.tointeger(v)
  return n and n >= 1 and n <= MAX_NUMBERS or nil,
    ("must be a whole number of at least 1 and at most %d"):format(MAX_NUMBERS)
end

integrator_options.delay_buffer = {
  { name = "size", type = "number", default = 1, check = size, doc = "numbers of a point" },
  { name = "delay", type = "number", default = 0, check = rules.not_negative, unit = "s",
    doc = "how far back to read; math.huge: everything is recorded" },
  { name = "linear_only", type = "boolean", default = false,
    doc = "use lines between points and beyond them, without derivatives" },
  { name = "can_use_current", type = "boolean", default = false,
    doc = "use the current point given to read, also where only a line can reach it" },
}

local function picked(list, wanted)
  local out = {}
  for _, name in ipairs(wanted) do
    for _, option in ipairs(list) do if option.name == name then out[#out + 1] = option end end
  end
  return out
end

-- The options of saltus.integrator { ... }, for x' = f(t, x).
integrator_options.integrator = picked(options.simulator, { "integrator", "accuracy", "max_step", "min_step",
  "initial_step", "fixed_step", "error_weights", "dense_output", "throw_on_min_step", "max_steps_per_call",
  "jacobian_pattern" })
for _, option in ipairs {
  { name = "jacobian", type = "string|function", default = "forward", choices = { "forward", "central" },
    doc = "differences for the Jacobian of implicit integrators; or jacobian(t, x, j) writes df_i/dx_k to j[i][k]; "
      .. "unwritten elements are 0" },
  { name = "mass", type = "table", doc = "rows of M in M x' = f(t, x), for radau5 and rodas4" },
  { name = "f", type = "function", doc = "f(t, x, dx) writes the derivatives of x into dx" },
  { name = "x", type = "table", doc = "the initial state" },
  { name = "time", type = "number", default = 0, check = rules.finite, unit = "s", doc = "the initial time" },
  { name = "weights", type = "table", doc = "error weight of each element of x; default: 1; 0: ignored" },
  { name = "witness", type = "function", doc = "witness(t, x): steps end where it reaches zero" },
  { name = "q", type = "number", default = 0, check = rules.whole_or_0,
    doc = "number of elements of configuration in x" },
  { name = "v", type = "number", default = 0, check = rules.whole_or_0,
    doc = "number of elements of velocity after these" },
} do
  table.insert(integrator_options.integrator, option)
end

-- The options of sim:set_integrator(name, { ... }).
integrator_options.set_integrator = picked(options.simulator, { "accuracy", "max_step", "min_step", "initial_step",
  "fixed_step", "dense_output", "throw_on_min_step", "jacobian", "jacobian_pattern" })

-- For help and pages: the default with its unit, and the description with its choices.
function integrator_options.default_text(option)
  if option.default == nil then return "" end
  if option.default == math.huge then return "none" end
  local text = type(option.default) == "string" and option.default or names.show(option.default)
  return option.unit and text .. " " .. option.unit or text
end

function integrator_options.meaning(option)
  return option.choices and option.doc .. (" (%s)"):format(table.concat(option.choices, " | ")) or option.doc
end

return integrator_options
