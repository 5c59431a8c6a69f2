-- Puts code into the name of a state.
local saltus = require "saltus"
local names = { "x = os.exit()", "x\nos.exit()", "x]] os.exit() --", "end os.exit() --", "x\0y", "while" }
for _, n in ipairs(names) do
  if pcall(saltus.system, { name = "s", z = { { n, 1 } }, derivatives = function() end }) then return true end
end
return false
