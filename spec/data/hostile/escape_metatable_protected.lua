-- Changes a protected metatable.
local t = setmetatable({}, { __metatable = "locked" })
return pcall(setmetatable, t, {})
