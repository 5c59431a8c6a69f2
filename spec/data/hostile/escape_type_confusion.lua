-- Changes the type of an upvalue that a program reads.
local saltus = require "saltus"
local k = 1.0
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = -k end }
local sim = saltus.simulator(s, { max_step = 1e-3 })
sim:advance_to(1)
k = "os" sim = pcall(function() sim:advance_to(2) end)
k = setmetatable({}, { __unm = function() return {} end })
return false
