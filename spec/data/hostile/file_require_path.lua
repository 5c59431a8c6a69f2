-- Requires a file of the folder.
local ok = pcall(require, "hostile_canary") return ok
