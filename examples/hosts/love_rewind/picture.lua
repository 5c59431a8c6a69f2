-- The drawing of a game.
local ball = require "ball"

local graphics = love.graphics
local picture = {}

local LEFT, TOP, SCALE = 40, 20, 110 -- pixels; pixels per metre
local function to_screen(x, y) return LEFT + SCALE * x, TOP + SCALE * (ball.height - y) end

local FORWARD, BACK, QUIET = { 1, 0.71, 0.28 }, { 0.42, 0.75, 1 }, { 0.55, 0.6, 0.72 }

local function color(rgb, alpha) graphics.setColor(rgb[1], rgb[2], rgb[3], alpha) end

local function draw_room()
  local width, height = SCALE * ball.width, SCALE * ball.height
  graphics.setColor(0.1, 0.115, 0.165)
  graphics.rectangle("fill", LEFT, TOP, width, height)
  graphics.setColor(1, 1, 1, 0.04)
  for x = 1, ball.width - 1 do graphics.line(LEFT + SCALE * x, TOP, LEFT + SCALE * x, TOP + height) end
  for y = 1, ball.height do
    local _, at = to_screen(0, y)
    graphics.line(LEFT, at, LEFT + width, at)
  end
  graphics.setColor(0.36, 0.41, 0.53)
  graphics.setLineWidth(3)
  graphics.rectangle("line", LEFT, TOP, width, height)
end

-- The way of the last two seconds, which fades.
local function draw_trail(history, rgb)
  local from = math.max(0, history.count - 120)
  graphics.setLineWidth(4)
  for i = from, history.count - 2 do
    local x, y = to_screen(history:place(i))
    local x1, y1 = to_screen(history:place(i + 1))
    color(rgb, 0.8 * ((i - from) / 120) ^ 1.5)
    graphics.line(x, y, x1, y1)
  end
end

-- A ring grows from the last touch. Its time and place are state, so it shrinks when time runs back.
local function draw_touch(run, rgb)
  local count, time, x, y = run:touched()
  local age = run:time() - time
  if count == 0 or age > 0.6 then return end
  local at_x, at_y = to_screen(x, y)
  color(rgb, 0.7 * (1 - age / 0.6))
  graphics.setLineWidth(2)
  graphics.circle("line", at_x, at_y, SCALE * (ball.radius + age))
end

local function draw_ball(run, rgb)
  local x, y = to_screen(run:place())
  for k = 4, 1, -1 do
    color(rgb, 0.06)
    graphics.circle("fill", x, y, SCALE * ball.radius * (1 + 0.25 * k))
  end
  color(rgb, 1)
  graphics.circle("fill", x, y, SCALE * ball.radius)
  graphics.setColor(1, 1, 1, 0.5)
  graphics.circle("fill", x - 6, y - 7, 5)
end

-- How many of the frames in the ring are there.
local function draw_memory(game, rgb)
  local width, at = SCALE * ball.width, TOP + SCALE * ball.height + 22
  graphics.setColor(1, 1, 1, 0.08)
  graphics.rectangle("fill", LEFT, at, width, 6, 3)
  color(rgb, 0.9)
  graphics.rectangle("fill", LEFT, at, math.max(6, width * game.history.count / game.history.frames), 6, 3)
end

local function draw_words(game, rgb)
  local run, at = game.ball, TOP + SCALE * ball.height + 40
  color(rgb, 1)
  graphics.print(("%s %6.2f s"):format(game.rewinds and "<<" or " >", run:time()), LEFT, at)
  color(QUIET, 1)
  graphics.print(("%d touches"):format((run:touched())), LEFT + 120, at)
  graphics.print("state " .. run:hash(), LEFT + 250, at)
  graphics.printf("space: kick     R: back in time     escape: end", LEFT, at, SCALE * ball.width, "right")
end

function picture.ball_color(game) return game.rewinds and BACK or FORWARD end

picture.to_screen = to_screen

function picture.draw(game)
  local rgb = picture.ball_color(game)
  graphics.clear(0.06, 0.07, 0.105)
  draw_room()
  graphics.setScissor(LEFT, TOP, SCALE * ball.width, SCALE * ball.height)
  draw_trail(game.history, rgb)
  draw_touch(game.ball, rgb)
  draw_ball(game.ball, rgb)
  graphics.setScissor()
  draw_memory(game, rgb)
  draw_words(game, rgb)
end

return picture
