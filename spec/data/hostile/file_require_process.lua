-- Requires the core for its functions of processes.
local ok, core = pcall(require, "saltus.core") return ok and core.process.make_folder "hostile_folder"
