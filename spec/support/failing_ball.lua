-- A ball whose declaration a spec changes so that a run of it fails.
local saltus = require "saltus"

local failing_ball = {}

function failing_ball.make(changes)
  local def = {
    name = "ball",
    q = { { "height", 1 } },
    v = { "speed" },
    discrete = { { "mode", "falling", values = { "falling", "resting" } }, "n" },
    params = { gravity = 9.81 },
    outputs = { energy = function(ctx) return ctx.gravity * ctx.height + ctx.speed ^ 2 / 2 end },
    derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -ctx.gravity end,
  }
  for key, value in pairs(changes) do def[key] = value end
  return saltus.system(def)
end

function failing_ball.failure_of(sim, t)
  local ok, message = pcall(sim.advance_to, sim, t or 1)
  assert(not ok, "the run does not fail")
  return message
end

-- Advances a changed ball until it fails; returns the message and the simulator.
function failing_ball.run(changes, options)
  local sim = saltus.simulator(failing_ball.make(changes), options)
  return failing_ball.failure_of(sim), sim
end

function failing_ball.has(text, message) assert(message:find(text, 1, true), message) end

-- The changes that give it one event; by default every 0.5 s.
function failing_ball.event(e)
  e.name = e.name or "tick"
  if not e.witness then e.every = e.every or 0.5 end
  return { events = { e } }
end

return failing_ball
