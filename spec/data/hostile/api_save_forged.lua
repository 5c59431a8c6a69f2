-- forged saves loaded into simulators
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, discrete = { { "m", "a", values = { "a", "b" } } }, derivatives = function(_, dot) dot.x = 1 end }
local sim = saltus.simulator(s) sim:advance_to(0.1)
local text = sim:save()
local n = #text
for i = 1, n do for _, c in ipairs { "\0", "\255", "\127" } do pcall(sim.load, sim, text:sub(1, i - 1) .. c .. text:sub(i + 1)) end pcall(sim.load, sim, text:sub(1, i)) end
pcall(sim.advance_to, sim, 1)
return false
