-- The same by rawset.
local saltus = require "saltus"
return pcall(rawset, saltus.did_nothing, "kind", "terminate")
