-- Reads a file by a block.
local saltus = require "saltus"
return pcall(saltus.blocks.time_table, { csv = "hostile_canary.txt", column = "x" })
