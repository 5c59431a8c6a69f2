-- forall with runs = math.huge and others
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", params = { k = 1 }, z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = ctx.k end } }
local function try(o) pcall(saltus.forall, o) end
try { scenario = s, runs = math.huge, params = { k = { 0, 1 } }, holds = "always x > -1" }
try { scenario = s, runs = 2^53, params = { k = { 0, 1 } }, holds = "always x > -1" }
try { scenario = s, runs = 1e6, workers = 64, params = { k = { 0, 1 } }, holds = "always x > -1" }
return true
