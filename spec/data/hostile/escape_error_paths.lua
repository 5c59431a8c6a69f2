-- errors of saltus show where the host has its files
local saltus = require "saltus"

local leaks = {}
for _, f in ipairs { function() saltus.system(1) end, function() saltus.simulator(1) end, function() saltus.formula "((" end, function() saltus.scenario {} end,
  function() saltus.blocks.gain(1) end, function() saltus.log() end, function() saltus.diagram(5) end } do
  local ok, e = pcall(f)
  if tostring(e):find("/lua/saltus", 1, true) then leaks[#leaks + 1] = e end
end
print(table.concat(leaks, "; "))
return #leaks > 0
