-- Writes outside of a vector.
local saltus = require "saltus"
local ok = false
local s = saltus.system { name = "s", z = { { "r", { 1, 2, 3 } } }, derivatives = function(ctx, dot)
  for _, i in ipairs { 0, -1, 4, 1000000, 1.5, 2^53 } do ok = pcall(function() dot.r[i] = 7 end) or ok end
  for i = 1, 3 do dot.r[i] = 1 end
end }
pcall(function() saltus.simulator(s, { max_step = 1e-2 }):advance_to(3) end)
return ok
