-- A definition that is nested very deep.
local saltus = require "saltus"
local def = { name = "s" }
local at = def
for i = 1, 1e5 do at.params = {} at = at.params end
return pcall(saltus.system, def)
