-- Replaces a block.
local saltus = require "saltus"
saltus.blocks.gain = function() return "mine" end
return false
