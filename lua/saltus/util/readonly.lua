-- Read-only views of plain data.
local names = require "saltus.util.names"

local readonly = {}

-- A read-only view of a table. Writing calls `raise` with the key; by default it raises an error that names `next`.
function readonly.of(value, name, raise)
  if type(value) ~= "table" then return value end
  raise = raise or function()
    names.fail("%s is read-only here; in an update, write to next.%s", name, name)
  end
  return setmetatable({}, {
    readonly_of = value,
    __index = function(_, key) return readonly.of(value[key], name, raise) end,
    __newindex = function(_, key) raise(key) end,
    __len = function() return #value end,
    __pairs = function()
      return function(_, key)
        local k, v = next(value, key)
        return k, readonly.of(v, name, raise)
      end, value, nil
    end,
  })
end

-- A value from a port: a read-only view of a plain table; objects and functions unchanged.
function readonly.of_data(value, name)
  if type(value) == "table" and getmetatable(value) == nil then return readonly.of(value, name) end
  return value
end

return readonly
