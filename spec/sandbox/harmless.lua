-- What a script in a sandbox may do: hostile_spec.lua looks whether the host would see that a try succeeds.
local saltus = require "saltus"

local ball = saltus.system { name = "ball", z = { { "height", 1 }, { "speed", 0 } },
  derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -9.81 end,
  events = { { name = "touch", direction = "falling", witness = function(ctx) return ctx.height end,
    unrestricted_update = function(ctx, next) next.speed = -0.8 * ctx.speed end } } }
local sim = saltus.simulator(ball)
local log = saltus.log(sim, { "height", every = 0.1 })
sim:advance_to(1)
local words = {}
for word in ("one two"):gmatch "%a+" do words[#words + 1] = word:upper() end
return #log.height == 11 and #log:times "touch" > 0 and table.concat(words) == "ONETWO"
  and select(2, pcall(error, "text")) == "text"
