-- A ball in a room: a class of the engine whose functions are written in Lua.
local ffi = require "ffi"
local engine = require "engine"

local c, check = engine.c, engine.check

-- The engine calls back into Lua, which LuaJIT does not allow from compiled code. So nothing here is compiled.
jit.off(true, true)

local ball = {
  width = 8, height = 4.5, radius = 0.2, -- m
  gravity = 9.81, -- m/s^2
  restitution = 0.9,
  slowest = 5, -- m/s, with which the floor at least throws the ball back
  kick = 4, -- m/s, upwards
  x = 1, y = 4, vx = 2.3, vy = 0, -- the start
}
ball.__index = ball

local Q, V, XD = c.SAL_Q, c.SAL_V, c.SAL_XD
local FLOOR, CEILING, LEFT, RIGHT, KICK = 0, 1, 2, 3, 4
local name_of = { [FLOOR] = "floor", [CEILING] = "ceiling", [LEFT] = "left", [RIGHT] = "right", [KICK] = "kick" }

-- An error must not leave a function that C calls.
local function guarded(failure, f)
  return function(...)
    local ok, outcome = pcall(f, ...)
    if ok then return outcome end
    print(outcome)
    return failure
  end
end

-- What the engine calls. Numbers of a partition are a C array, from 0.
local behaviour = ffi.new "sal_system_class"
behaviour.name = "ball"

behaviour.derivatives = guarded(c.SAL_ECALLBACK, function(_, ctx, dot)
  local v = c.sal_context_get(ctx, V)
  dot.q[0], dot.q[1] = v[0], v[1]
  dot.v[0], dot.v[1] = 0, -ball.gravity
  return c.SAL_OK
end)

-- The distance between the ball and what it may touch.
behaviour.witness = guarded(c.SAL_ECALLBACK, function(_, ctx, event, value)
  local q = c.sal_context_get(ctx, Q)
  if event == FLOOR then value[0] = q[1] - ball.radius
  elseif event == CEILING then value[0] = ball.height - ball.radius - q[1]
  elseif event == LEFT then value[0] = q[0] - ball.radius
  else value[0] = ball.width - ball.radius - q[0] end
  return c.SAL_OK
end)

behaviour.update = guarded(c.SAL_FAILED, function(_, ctx, event, next)
  local q, v, touched = c.sal_context_get(ctx, Q), c.sal_context_edit(next, V), c.sal_context_edit(next, XD)
  local index = event.index
  if index == KICK then
    v[1] = v[1] + ball.kick
    return c.SAL_SUCCEEDED
  end
  if index == FLOOR then v[1] = math.max(-ball.restitution * v[1], ball.slowest)
  elseif index == CEILING then v[1] = -v[1]
  else v[0] = -v[0] end
  touched[0], touched[1], touched[2], touched[3] = touched[0] + 1, c.sal_context_time(ctx), q[0], q[1]
  return c.SAL_SUCCEEDED
end)

local function add_event(system, index)
  local config = c.sal_event_config_default()
  config.name = name_of[index]
  config.kind = c.SAL_UNRESTRICTED
  config.trigger = index == KICK and c.SAL_ON_DEMAND or c.SAL_ON_WITNESS
  if index ~= KICK then config.direction = c.SAL_FALLING end
  check(c.sal_system_add_event(system, config, nil))
end

local function build()
  local out = ffi.new "sal_system *[1]"
  check(c.sal_system_new(nil, behaviour, "ball", nil, out))
  local system = out[0]
  check(c.sal_system_add_values(system, Q, "place", 2, ffi.new("double[2]", ball.x, ball.y)))
  check(c.sal_system_add_values(system, V, "speed", 2, ffi.new("double[2]", ball.vx, ball.vy)))
  -- How many touches, and the time and place of the last.
  check(c.sal_system_add_values(system, XD, "touched", 4, ffi.new("double[4]", 0, -1, 0, 0)))
  for index = FLOOR, KICK do add_event(system, index) end
  return system
end

-- A run of the ball. `sim` is the simulator.
function ball.new()
  local system, out = build(), ffi.new "sal_simulator *[1]"
  check(c.sal_simulator_new(nil, system, nil, nil, out))
  local self = setmetatable({}, ball)
  self.sim = ffi.gc(out[0], function(sim)
    c.sal_simulator_free(sim)
    c.sal_system_free(system) -- which must live as long as its simulator
  end)
  check(c.sal_simulator_initialize(self.sim, false, nil))
  return self
end

-- Advances by the time of a frame, in steps of 1/240 s, at most 24: after a slow frame the game lags.
function ball:advance(dt) check(c.sal_simulator_advance_frame(self.sim, dt, 1 / 240, 24, nil, nil)) end

-- Kicks the ball at the beginning of the next frame.
function ball:kick_up() check(c.sal_simulator_demand(self.sim, 0, KICK)) end

function ball:time() return c.sal_context_time(c.sal_simulator_context(self.sim)) end

function ball:place()
  local q = c.sal_context_get(c.sal_simulator_context(self.sim), Q)
  return q[0], q[1]
end

-- How many touches, and the time (s), x and y (m) of the last.
function ball:touched()
  local touched = c.sal_context_get(c.sal_simulator_context(self.sim), XD)
  return touched[0], touched[1], touched[2], touched[3]
end

function ball:hash() return bit.tohex(c.sal_simulator_hash(self.sim)) end

return ball
