-- Requires the library debug.
local ok = pcall(require, "debug") return ok
