-- Requires the library os.
local ok, lib = pcall(require, "os") return ok and lib ~= nil
