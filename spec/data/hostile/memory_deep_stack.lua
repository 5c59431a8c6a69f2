-- Fills the stacks of coroutines.
local keep = {}
for i = 1, math.huge do
  local function f(n) if n == 0 then coroutine.yield() end return 1 + f(n - 1) end
  keep[i] = coroutine.wrap(f)
  keep[i](10000)
end
