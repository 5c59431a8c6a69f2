-- The upvalues of a user's function and of the functions that it calls.
local getupvalue = require("saltus.core").getupvalue
local names = require "saltus.util.names"

local upvalues = {}

-- Calls visit(fn, i, name, value) for each upvalue of a function, and of those among its upvalues that are functions of
-- the user. `seen` has the functions that were visited.
function upvalues.visit(fn, seen, visit)
  if seen[fn] or not names.defined(fn) then return end
  seen[fn] = true
  for i = 1, math.huge do
    local name, value = getupvalue(fn, i)
    if not name then return end
    if type(value) == "function" then upvalues.visit(value, seen, visit) end
    visit(fn, i, name, value)
  end
end

-- The value of upvalue `i` now.
function upvalues.value(fn, i)
  local _, value = getupvalue(fn, i)
  return value
end

-- Whether a value is another one than before. NaN is the same as NaN.
function upvalues.differs(now, before) return now ~= before and (now == now or before == before) end

return upvalues
