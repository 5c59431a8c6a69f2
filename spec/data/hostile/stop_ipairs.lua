-- A list without end.
for i in ipairs(setmetatable({}, { __index = function(_, i) return i end })) do end
