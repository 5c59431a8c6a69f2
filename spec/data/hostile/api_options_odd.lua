-- options of simulators with odd values
local saltus = require "saltus"
local s = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end }
for _, o in ipairs { "integrator", "accuracy", "max_step", "initial_step", "min_step", "fixed_step", "seed", "compile", "max_events", "jacobian", "tolerance", "time", "start", "until", "pace", "realtime", "random", "zeno", "projection", "scales", "threads", "lockstep", "stiff", "history", "maximum_order" } do
  for _, v in ipairs { 1e-300, 1e300, 0/0, -1, math.mininteger, "x", {}, function() while true do end end, true } do
    local ok, sim = pcall(saltus.simulator, s, { [o] = v })
    if ok then pcall(sim.advance_to, sim, 0.01) end
  end
end
return false
