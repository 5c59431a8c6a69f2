-- Makes a table with the name of a class of saltus.
local t = setmetatable({}, { __name = "saltus.simulator" })
return pcall(require("saltus").log, t, { "x" })
