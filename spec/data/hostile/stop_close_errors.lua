-- 1e5 to-be-closed variables in nested coroutines, each closes with an error
local mt = { __close = function() error "no" end }
local function f(n) local x <close> = setmetatable({}, mt) if n > 0 then f(n - 1) end end
while true do pcall(f, 150) end
