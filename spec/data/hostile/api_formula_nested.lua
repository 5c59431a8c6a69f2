-- A formula that is nested very deep.
local saltus = require "saltus"
return pcall(saltus.formula.parse, ("("):rep(1e6) .. "x > 0" .. (")"):rep(1e6))
