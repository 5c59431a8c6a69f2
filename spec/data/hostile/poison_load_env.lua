-- load with an env that is a proxy of saltus
local saltus = require "saltus"

local f = load("x = 1", "c", "t", saltus)
pcall(f)
local s = saltus.blocks.gain { gain = 1 }
local g = load("gain = 1; return gain", "c", "t", s)
pcall(g)
return false
