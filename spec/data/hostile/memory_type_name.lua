-- __name very long, and __tostring not a string
local t = setmetatable({}, { __name = ("n"):rep(1e6) })
for i = 1, math.huge do tostring(t) pcall(error, t) pcall(string.rep, t) pcall(function() return t + 1 end) end
