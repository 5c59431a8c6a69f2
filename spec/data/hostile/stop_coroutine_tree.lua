-- Coroutines start coroutines.
local function f()
  while true do local co = coroutine.create(f) coroutine.resume(co) end
end
f()
