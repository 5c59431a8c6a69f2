-- Loads a save that was forged.
local saltus = require "saltus"
local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end })
local saved = sim:save()
local ok = false
for i = 1, #saved do
  local forged = saved:sub(1, i - 1) .. string.char((saved:byte(i) + 128) % 256) .. saved:sub(i + 1)
  ok = pcall(function() sim:load(forged) end) or ok
end
return ok
