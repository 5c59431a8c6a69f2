-- The run, its last frames, and what the keys do with them.
local ball = require "ball"
local history = require "history"

local game = { frames = 600 } -- ten seconds at 60 frames a second
game.__index = game

function game.new()
  local self = setmetatable({ ball = ball.new() }, game)
  self.history = history.new(self.ball.sim, game.frames)
  self.history:push(self.ball:place())
  return self
end

-- One frame: forward by dt, or back to the frame before.
function game:frame(dt, rewinds)
  self.rewinds = rewinds
  if rewinds then return self.history:back() end
  self.ball:advance(dt)
  self.history:push(self.ball:place())
end

return game
