-- The picture of a live run at the time that is shown, as its `draw` functions make it.
local encoding = require "saltus.output.animation.encoding"
local scene = require "saltus.output.animation.scene"

local stage = {}

local Stage = {}
Stage.__index = Stage

-- Returns the stage of a live run; nil if nothing draws.
function stage.of(run)
  local scenario = run.scenario
  local seen = scene.of(run.model, scenario.draw, scenario.view)
  return seen and setmetatable({ scene = seen, sim = run.sim }, Stage)
end

-- The state at a time inside the last step; else the present one.
local function context_at(sim, time)
  if time < sim.context.time then
    local ok, ctx = pcall(sim.state_at, sim, time)
    if ok then return ctx end
  end
  return sim.inner.seen
end

-- Returns the frame of a time as JSON; nil and the error text if a draw function fails.
function Stage:frame(time)
  local ok, commands = pcall(self.scene.picture, self.scene, context_at(self.sim, time))
  if not ok then return nil, tostring(commands) end
  return encoding.frame { time = time, commands = commands }
end

return stage
