-- Removes all blocks.
local blocks = require("saltus").blocks
for k in pairs(blocks) do blocks[k] = nil end
return false
