-- a formula with 1e5 terms that is checked over a run
local saltus = require "saltus"
local s = saltus.scenario { duration = 10, log = { "x", every = 0.001 }, system = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end } }
local run = s:run()
local f = ("always x > -1 and "):rep(2e4) .. "x > -1"
return (pcall(saltus.formula.check, f, run.log))
