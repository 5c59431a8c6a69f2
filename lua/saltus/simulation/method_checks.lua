-- Checks that a method suits a model with a mass matrix or a past, and that a band fits it.
local core = require "saltus.core"
local names = require "saltus.util.names"

local method_checks = {}

local function check_mass(o, content, past, method, what)
  local who = ("%s: system %q (%s)"):format(what, content.name, content.source)
  if not method.mass then
    local able = {}
    for _, other in ipairs(core.methods()) do if other.mass then able[#able + 1] = ("%q"):format(other.name) end end
    names.fail("%s has a mass matrix, which integrator %q does not take; choose integrator = %s", who, method.name,
      table.concat(able, " or "))
  elseif o.dense_output == "hermite" then
    names.fail("%s has a mass matrix, which hides the derivatives that dense_output = \"hermite\" needs", who)
  elseif past then
    names.fail("%s has a mass matrix; a past, which this model keeps too, does not go with one", who)
  end
end

-- n: the number of continuous variables.
function method_checks.check_band(o, n, what)
  for _, side in ipairs(type(o.jacobian_pattern) == "table" and { "lower", "upper" } or {}) do
    names.fail_if(o.jacobian_pattern[side] >= math.max(n, 1),
      "%s: option \"jacobian_pattern\" has %s = %d, but there are only %d continuous variables", what, side,
      o.jacobian_pattern[side], n)
  end
end

-- `mass`, `past`: the contents of systems with a mass matrix and with a past, or nil.
function method_checks.check(o, mass, past, method, n, what)
  if mass then check_mass(o, mass, past, method, what) end
  names.fail_if(past and not method.past,
    "%s: integrator %q chooses its own steps, and cannot read a past inside of them", what, method.name)
  method_checks.check_band(o, n, what)
end

return method_checks
