-- Requires the library io.
local ok, lib = pcall(require, "io") return ok and lib ~= nil
