-- Changes the event's object.
local saltus = require "saltus"
local ok = false
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end,
  events = { { name = "e", every = 0.5, discrete_update = function(ctx, next, event)
    ok = pcall(rawset, event, "name", "other") or pcall(setmetatable, next, {}) or getmetatable(event) ~= nil
  end } } }
saltus.simulator(s):advance_to(1)
return ok
