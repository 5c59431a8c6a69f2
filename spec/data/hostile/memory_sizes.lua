-- giant states, parameters, ports
local saltus = require "saltus"
for _, d in ipairs { { z = { { "x", size = 1e9 } } }, { z = { { "x", size = 2^31 } } }, { z = { { "x", size = 2^62 } } }, { z = { { "x", size = math.maxinteger } } },
  { q = { { "q", size = 1e8 } }, v = { { "v", size = 1e8 } } }, { discrete = { { "d", size = 2e9 } } }, { params = { { "p", size = 1e9 } } }, { inputs = { { "u", size = 1e9 } } }, { outputs = { { "y", size = 1e9, value = function() return 1 end } } } } do
  d.name = "s" d.derivatives = function(ctx, dot) end
  local ok, s = pcall(saltus.system, d)
  if ok then pcall(saltus.simulator, s) end
end
return false
