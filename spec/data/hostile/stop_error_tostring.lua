-- error object with __tostring that loops, uncaught
error(setmetatable({}, { __tostring = function() while true do end end, __name = "x" }))
