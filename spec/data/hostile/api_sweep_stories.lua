-- A sweep whose scenario is made anew, with stories, in each of very many runs.
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, system = saltus.system { name = "s", params = { k = 1 }, z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = ctx.k end },
  story = function(run) while true do run:wait(1e-9) end end }
local list = {} for i = 1, 5e4 do list[i] = i end
pcall(saltus.sweep, { scenario = s, params = { k = list } })
pcall(saltus.sweep, s, { k = list })
return true
