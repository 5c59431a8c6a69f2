-- Leaves an advance by a yield.
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) coroutine.yield() dot.x = 1 end }
local co = coroutine.create(function() saltus.simulator(s):advance_to(1) end)
return coroutine.resume(co)
