-- coroutine.close with pending close that yields forever
local co
for i = 1, math.huge do
  co = coroutine.create(function()
    local x <close> = setmetatable({}, { __close = function() for k = 1, math.huge do coroutine.yield(k) end end })
    coroutine.yield()
  end)
  coroutine.resume(co)
  pcall(coroutine.close, co)
end
return true
