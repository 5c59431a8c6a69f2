-- Changes a definition after it was read.
local saltus = require "saltus"
local def = { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end }
local s = saltus.system(def)
def.z[1][2] = 1e300
def.derivatives = nil
return saltus.simulator(s).context.x ~= 1
