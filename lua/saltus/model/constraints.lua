-- The fields constraints, constraint_rates, project and velocity_map of a system.
local names = require "saltus.util.names"

local constraints = {}

-- By field: its arguments, and the sections of which one must have states. src/include/saltus/system.h describes the
-- fields.
constraints.fields = {
  constraints = { "function(ctx, residual)", "q", "v", "z" },
  constraint_rates = { "function(ctx, rate)", "v" },
  project = { "function(ctx, next)", "q", "v", "z" },
  velocity_map = { "function(ctx, v, qdot)", "v" },
}

local function check(def, content, owner)
  for _, field in ipairs(names.sorted_keys(constraints.fields)) do
    local fn, needs = def[field], constraints.fields[field]
    names.check_type(fn, "function", "%s: %s must be a %s", owner, field, needs[1])
    local states = 0
    for i = 2, #needs do states = states + #content[needs[i]] end
    if fn and (states == 0 or field == "velocity_map" and #content.q == 0) then
      names.fail("%s: %s is about continuous state, and there is none in %s", owner, field,
        field == "velocity_map" and "q or v" or table.concat(needs, ", ", 2))
    end
    content[field] = fn
  end
  for _, e in ipairs(content.velocity_map and content.q or {}) do
    names.fail_if(e.weight ~= 1,
      "%s: with velocity_map the errors of q are weighed as those of v; give the weight of %q there", owner,
      e.name)
  end
end

-- With a velocity_map `derivatives` may omit q; if it sets q, its value is used.
local function with_map(content)
  local map, rest = content.velocity_map, content.derivatives
  if not map or not rest then return rest end
  return function(ctx, dot)
    map(ctx, ctx, dot)
    rest(ctx, dot)
  end
end

-- Checks these fields of a definition and adds them to the content.
function constraints.declare(def, content, owner)
  check(def, content, owner)
  content.derivatives = with_map(content)
end

return constraints
