-- A definition that contains itself.
local saltus = require "saltus"
local def = { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end }
def.params = def
def.z[2] = def.z
return pcall(saltus.system, def)
