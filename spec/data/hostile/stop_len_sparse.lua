-- length of a sparse table: unbound search
local t = setmetatable({}, {}) for i = 0, 62 do t[1 << i] = true end
local n = 0
while true do n = n + #t end
