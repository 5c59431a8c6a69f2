-- Replaces the fields that a simulator has.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end })
for _, name in ipairs { "system", "options", "context", "needed", "inner", "core", "advance_to" } do
  if pcall(function() sim[name] = { name = "forged" } end) then return true end
end
return false
