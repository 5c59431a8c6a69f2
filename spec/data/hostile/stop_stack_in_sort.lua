-- stack overflow inside xpcall inside coroutine inside sort
local function f() return 1 + f() end
for i = 1, math.huge do
  pcall(table.sort, { 3, 2, 1 }, function(a, b) coroutine.wrap(function() xpcall(f, f) end)() return a < b end)
end
