-- Looks for the core in the context before an event.
local saltus = require "saltus"
local found = false
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end,
  events = { { name = "e", direction = "rising", witness = function(ctx) return ctx.x - 1.5 end,
    publish = function(_, event)
      local before = event and event.before
      found = before ~= nil and (pcall(function() return before.core.save end) or getmetatable(before) ~= nil)
    end } } }
saltus.simulator(s):advance_to(1)
return found
