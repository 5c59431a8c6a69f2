-- Looks for the core in the arguments of a closure.
local saltus = require "saltus"
local found = false
local function look(t, depth)
  if type(t) == "userdata" then found = true end
  if type(t) ~= "table" or depth > 4 then return end
  pcall(function() for _, v in pairs(t) do look(v, depth + 1) end end)
  pcall(function() for _, v in next, t do look(v, depth + 1) end end)
end
local s = saltus.system { name = "s", z = { { "x", 1 } }, past = { x = 1 }, derivatives = function(ctx, dot) look(ctx, 0) look(dot, 0) dot.x = 1 end,
  events = { { name = "e", every = 0.3, unrestricted_update = function(ctx, next, event) look(ctx, 0) look(next, 0) look(event, 0) end } } }
saltus.simulator(s):advance_to(1)
return found
