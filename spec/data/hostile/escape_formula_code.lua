-- Puts code into a formula.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local words = { "x > 0) os.exit(1) --", "x > io.open('hostile.txt', 'w')", "x == (function() while true do end end)()",
  "x > 0]] error() --[[", "x > \"\\\" .. os.exit() .. \\\"\"" }
for _, w in ipairs(words) do if pcall(function() return sim:watch(w) end) then return true end end
return false
