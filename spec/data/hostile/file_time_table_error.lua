-- Learns a file's content from the message of a block.
local saltus = require "saltus"
local _, why = pcall(saltus.blocks.time_table, { csv = "hostile_canary.txt", column = "secret" })
return tostring(why):find "untouched" ~= nil
