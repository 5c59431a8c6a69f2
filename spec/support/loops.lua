-- Diagrams of a plant and its controller: `arm` has an angle and a torque, `pid` an output and the inputs measured and
-- target.
local saltus = require "saltus"

local loops = {}

function loops.loop(arm, pid)
  local d = saltus.diagram "loop"
  d:add(arm, "plant")
  d:add(pid)
  d:connect("plant.angle", "pid.measured")
  d:connect("pid.output", "plant.torque")
  return d
end

-- A loop twice in a diagram: the angle of a is the target of b.
function loops.chain(inner)
  inner:export_input("target", "pid.target")
  inner:export_output("plant.angle", "angle")
  local d = saltus.diagram "outer"
  d:add(inner, "a")
  d:add(inner, "b")
  d:connect("a.angle", "b.target")
  return d
end

-- The same with an input and an output of its own.
function loops.exported_chain(inner)
  local d = loops.chain(inner)
  d:export_input("goal", "a.target")
  d:export_output("b.angle", "reached")
  return d
end

return loops
