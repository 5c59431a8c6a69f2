-- Calls the command line.
local ok, main = pcall(require, "saltus.cli.main")
return ok and main.main { "run", "hostile.lua" }
