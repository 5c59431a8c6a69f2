-- Abstract values of a context: plain data that the engine stores as bytes, and outputs that stay in Lua.
local constants = require("saltus.core").constants
local readonly = require "saltus.util.readonly"
local serialize = require "saltus.util.serialize"

local abstract_values = {}

-- The last values of abstract outputs: by engine, part and output, then by context. The engine stores a number instead
-- of the value, and this number shows whether the value belongs to the present state.
local outputs = setmetatable({}, { __mode = "k" })

local function outputs_of(core, part, e)
  local key = part .. "." .. e.index
  outputs[core] = outputs[core] or {}
  outputs[core][key] = outputs[core][key] or {}
  return outputs[core][key]
end

function abstract_values.store_output(core, part, e, value)
  outputs_of(core, part, e)[core:place(constants.context.run)] = value
end

-- `compute` (core, which, part, e) computes an output, or the source of an input.
function abstract_values.read(core, which, part, e, model, compute)
  if e.partition == "input" then
    local c = model:feeding(part, e)
    if c and c.port.partition == "abstract" then
      return abstract_values.read(core, which, c.from, c.port, model, compute)
    end
    compute(core, which, part, e)
    if c then return readonly.of_data(outputs_of(core, c.from, c.port)[core:place(which)], e.name) end
  elseif e.partition == "output" then
    compute(core, which, part, e)
    return readonly.of_data(outputs_of(core, part, e)[core:place(which)], e.name)
  end
  return readonly.of(serialize.decode(core:slot(which, part, e.slot)), e.name)
end

return abstract_values
