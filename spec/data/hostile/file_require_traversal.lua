-- Requires a file outside by a path in the name.
local ok = pcall(require, "../../../../etc/passwd") return ok
