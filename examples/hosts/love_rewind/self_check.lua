-- What `make check` plays: ten seconds, back, and the same again.
local ball = require "ball"
local game_of = require "game"
local picture = require "picture"

local self_check = {}

local FRAME, FRAMES, KICKS = 1 / 60, 600, { [200] = true, [410] = true }

local function fail(...) error(string.format(...), 0) end

local function near(what, expected, found, tolerance)
  local off = math.abs(found - expected)
  if not (off <= tolerance) then fail("%s is %.17g and should be %.17g", what, found, expected) end
  return off
end

-- Times until `last` at which the floor is touched, in closed form.
local function floor_times(last)
  local speed = math.sqrt(2 * ball.gravity * (ball.y - ball.radius))
  local times, time = {}, speed / ball.gravity
  while time < last do
    times[#times + 1] = time
    speed = math.max(ball.restitution * speed, ball.slowest)
    time = time + 2 * speed / ball.gravity
  end
  return times
end

-- Times at which a wall is touched: x moves with a constant speed.
local function wall_times(last)
  local inside, times = ball.width - 2 * ball.radius, {}
  local time = (ball.width - ball.radius - ball.x) / ball.vx
  while time < last do
    times[#times + 1] = time
    time = time + inside / ball.vx
  end
  return times
end

-- Compares the time of each touch with its closed form. Returns how many there are and the largest difference.
local function compare_touches()
  local expected, last = floor_times(10), 10
  for _, time in ipairs(wall_times(last)) do expected[#expected + 1] = time end
  table.sort(expected)
  local run, seen, worst = ball.new(), 0, 0
  for _ = 1, 240 * last - 1 do -- no two touches are within 1/240 s
    run:advance(1 / 240)
    local count, time = run:touched()
    if count > seen then
      seen = seen + 1
      worst = math.max(worst, near("touch " .. seen, expected[seen] or 0 / 0, time, 1e-9))
    end
  end
  near("the number of touches", #expected, (run:touched()), 0)
  return seen, worst
end

-- Plays frames from + 1 to FRAMES with the kicks. Returns the hash after each.
local function play(game, from)
  local hashes = {}
  for k = from + 1, FRAMES do
    if KICKS[k] then game.ball:kick_up() end
    game:frame(FRAME, false)
    hashes[k] = game.ball:hash()
  end
  return hashes
end

local function rewind(game, hashes, to)
  for k = FRAMES - 1, to, -1 do
    if game:frame(FRAME, true) == false then fail("the ring has no frame %d", k) end
    if game.ball:hash() ~= hashes[k] then fail("frame %d has another state on the way back", k) end
  end
end

-- The screenshot has the ball at its place, in its colour.
function self_check.look(image, game)
  local x, y = picture.to_screen(game.ball:place())
  local found = { image:getPixel(math.floor(x), math.floor(y)) }
  for i, part in ipairs(picture.ball_color(game)) do near("the colour of the ball", part, found[i], 0.02) end
end

-- Returns a game to draw: on its way back.
function self_check.run()
  local touches, worst = compare_touches()
  print(("%d touches in 10 s, at most %.1e s from the closed form"):format(touches, worst))

  local game, back_to = game_of.new(), 100
  local hashes = play(game, 0)
  rewind(game, hashes, back_to)
  local again = play(game, back_to)
  for k = back_to + 1, FRAMES do
    if again[k] ~= hashes[k] then fail("frame %d has another state when it is played again", k) end
  end
  print(("%d frames back and again have the same states, with %d bytes each; the last: %s"):format(FRAMES - back_to,
    game.history.room, again[FRAMES]))

  while game:frame(FRAME, true) do end
  near("the oldest frame in the ring", FRAME, game.ball:time(), 1e-12)
  local one_more = game_of.new()
  play(one_more, 0)
  for _ = 1, 110 do one_more:frame(FRAME, true) end
  print(("host: %d touches by the closed form, %d frames back and again, one hash: %s"):format(touches,
    FRAMES - back_to, again[FRAMES]))
  return one_more
end

return self_check
