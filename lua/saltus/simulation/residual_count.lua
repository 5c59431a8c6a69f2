-- The number of residuals of a model's constraints: each function is called once with the initial values, and its
-- writes are counted.
local context = require "saltus.simulation.context"
local names = require "saltus.util.names"

local residual_count = {}

-- Raises an error at the line where the function is defined, if `wrong`.
local function fail_if(wrong, fn, message, ...)
  if not wrong then return end
  local place = names.defined(fn)
  error((place and place .. ": " or "") .. message:format(...), 0)
end

local function count(fn, ctx, what)
  local list, size = {}, 0
  fn(ctx, list)
  for key, value in pairs(list) do
    fail_if(not math.tointeger(key) or key < 1 or type(value) ~= "number", fn,
      "%s sets [%s] to %s; it writes numbers to [1], [2] ...", what, names.show(key), names.show(value))
    size = math.max(size, key)
  end
  fail_if(size == 0 or #list ~= size, fn,
    "%s leaves [%d] unset; it writes numbers to [1], [2] ...", what, size == 0 and 1 or #list + 1)
  return size
end

-- By part: { constraints =, constraint_rates = }; `core`: an engine of the model without constraints.
function residual_count.count(core, m)
  local sizes = {}
  for i, part in ipairs(m.parts) do
    sizes[i] = {}
    for _, field in ipairs { "constraints", "constraint_rates" } do
      local fn = part.system[field]
      sizes[i][field] = fn and count(fn, context.new(core, m, context.RUN, false, part.path),
        ("%s of %q"):format(field, m:part_name(i))) or nil
    end
  end
  return sizes
end

return residual_count
