-- saltus.math: elementary functions with the same bits on every machine (src/include/saltus/math.h).
local names = require "saltus.util.names"

local functions = require("saltus.core").math
local known = names.sorted_keys(functions)

return setmetatable(functions, {
  __index = function(_, key) names.fail_unknown("function %s in saltus.math", key, known) end,
})
