-- Keeps saves for ever.
local saltus = require "saltus"
local x = {}
for i = 1, 10000 do x[i] = 0 end
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", x } }, derivatives = function(_, dot) end })
local keep = {}
while true do sim:advance_to(#keep + 1) keep[#keep + 1] = sim:save() end
