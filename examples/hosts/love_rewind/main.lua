-- love .                       play: space kicks the ball, R goes back in time
-- love . check [PICTURE.png]   check the run, draw one frame, end
local game_of = require "game"
local picture = require "picture"

local self_check = require "self_check"

local game, checks, path

local function write(data)
  local file = assert(io.open(path, "wb"))
  file:write(data:getString())
  file:close()
end

local function end_with_failure(message)
  print(debug.traceback("failed: " .. tostring(message), 2))
  return function() return 1 end
end

function love.load(words)
  checks, path = words[1] == "check", words[2]
  if checks then
    love.errorhandler = end_with_failure
    game = self_check.run()
  else
    game = game_of.new()
  end
end

function love.update(dt)
  if not checks then game:frame(dt, love.keyboard.isDown "r") end
end

function love.draw()
  picture.draw(game)
  if checks and path then
    love.graphics.captureScreenshot(function(image)
      self_check.look(image, game)
      write(image:encode "png")
      love.event.quit()
    end)
  elseif checks then
    love.event.quit()
  end
end

function love.keypressed(key)
  if key == "space" and not game.rewinds then game.ball:kick_up() end
  if key == "escape" then love.event.quit() end
end
