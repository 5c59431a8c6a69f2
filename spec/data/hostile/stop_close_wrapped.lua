-- A coroutine wrapped across pcall whose variable closes by making another.
local function make()
  return coroutine.wrap(function()
    local x <close> = setmetatable({}, { __close = function() make()() end })
    coroutine.yield(1)
    pcall(error)
  end)
end
local n = 0
while true do local f = make() f() pcall(f) n = n + 1 end
return true
