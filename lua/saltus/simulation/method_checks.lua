-- Does a method suit a model that is not the usual one?
local core = require "saltus.core"
local names = require "saltus.util.identifiers"

local method_checks = {}

-- `content`: of the system that has a mass matrix; `past`: of one that keeps a past, if there is one.
function method_checks.check_mass(o, content, past, method, what)
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

function method_checks.check_past(method, what)
  if not method.past then
    names.fail("%s: integrator %q chooses its own steps, and cannot read a past inside of them", what, method.name)
  end
end

-- n: of all continuous variables.
function method_checks.check_band(o, n, what)
  if type(o.jacobian_pattern) ~= "table" then return end
  for _, side in ipairs { "lower", "upper" } do
    if o.jacobian_pattern[side] >= math.max(n, 1) then
      names.fail("%s: option \"jacobian_pattern\" has %s = %d, but there are only %d continuous variables", what, side,
        o.jacobian_pattern[side], n)
    end
  end
end

return method_checks
