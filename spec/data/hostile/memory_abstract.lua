-- Abstract state that doubles at each event.
local saltus = require "saltus"
local s = saltus.system { name = "s", abstract = { list = { 0 } },
  events = { { name = "tick", every = 1, unrestricted_update = function(ctx, next)
    local t = {}
    for i = 1, #ctx.list do t[#t + 1] = ctx.list[i] t[#t + 1] = ctx.list[i] end
    next.list = t
  end } } }
saltus.simulator(s):advance_to(1000)
return true
