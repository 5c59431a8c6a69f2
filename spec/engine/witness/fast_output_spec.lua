-- Wheels with a sensor: sines and saw-teeth of an angle that nothing integrates, in a witness or in an output that
-- something else reads. Steps may be longer than a turn. Closed forms say how often the sensor passes its level.
local saltus = require "saltus"
local random = require "spec.support.random"
local cases = require "spec.support.cases"

local TURN = 2 * math.pi

local sensors = {
  sine = { of = function(ctx) return math.sin(ctx.angle) end, first = function(level) return math.asin(level) end },
  tooth = { of = function(ctx) return ctx.angle % 6.283185307179586 / 3.141592653589793 - 1 end,
    first = function(level) return (level + 1) * math.pi end },
}

-- Passes upwards while the angle goes from 0 to `angle`.
local function passes(sensor, level, angle)
  local first = sensor.first(level) % TURN
  return angle < first and 0 or math.floor((angle - first) / TURN) + 1
end

local function wheel(spec, sensor, events)
  return saltus.system { name = "wheel", z = { "angle", { "speed", spec.speed }, { "y", 1 } },
    outputs = { { "hall", sensor.of } }, discrete = { { "n", 0 } }, events = events,
    derivatives = function(ctx, dot)
      dot.angle, dot.speed, dot.y = ctx.speed, spec.acceleration, -spec.decay * ctx.y
    end }
end

local function counts(ctx, next) next.n = ctx.n + 1 end

-- Each returns how often the sensor passed the level upwards.
local readers = {}

local function run(spec, system)
  local sim = saltus.simulator(system, spec.options)
  sim.context.time = spec.start
  return sim
end

local function by_event(spec, sensor, event)
  event.name, event.discrete_update = "pass", counts
  local sim = run(spec, wheel(spec, sensor, { event }))
  sim:advance_to(spec.start + spec.duration)
  return sim.context.n
end

function readers.witness(spec, sensor)
  local level = spec.level
  return by_event(spec, sensor, { witness = function(ctx) return ctx.hall - level end, direction = "rising" })
end

function readers.condition(spec, sensor)
  local level = spec.level
  return by_event(spec, sensor, { becomes = function(ctx) return ctx.hall > level end })
end

function readers.counter(spec, sensor)
  local d = saltus.diagram "d"
  d:add(wheel(spec, sensor))
  d:add(saltus.blocks.gain { gain = 2 }, "amplifier")
  d:add(saltus.blocks.counter { threshold = 2 * spec.level }, "counter")
  d:connect("wheel.hall", "amplifier")
  d:connect("amplifier", "counter")
  local sim = run(spec, d)
  sim:advance_to(spec.start + spec.duration)
  return sim.context.counter.output
end

function readers.story(spec, sensor)
  local up, down = ("hall > %.17g"):format(spec.level), ("hall < %.17g"):format(spec.level - 0.05)
  local sim, count = run(spec, wheel(spec, sensor)), 0
  saltus.stories(sim):spawn(function(s)
    s:wait_until(down)
    while true do
      s:wait_until(up)
      count = count + 1
      s:wait_until(down)
    end
  end)
  sim:advance_to(spec.start + spec.duration)
  return count
end

local INTEGRATORS = { "tsitouras5", "dormand_prince8", "auto", "radau5", "rodas4", "runge_kutta3" }

describe("a signal that nothing integrates", function()
  for reader, count in pairs(readers) do
    for name, sensor in pairs(sensors) do
      it(("is counted by a %s, at every speed: a %s"):format(reader, name), function()
        local r = random.new(#reader * #name)
        for _ = 1, cases(40) do
          local speed, duration = 10 ^ (2 * r:real() - 0.5), r:pick { 5, 10, 40 }
          local spec = { speed = speed, duration = duration, level = 0.1 + 0.7 * r:real(),
            acceleration = r:chance(0.3) and speed * r:real() or 0, decay = r:pick { 0, 0.01, 1 },
            start = r:pick { 0, 100, 1e6 },
            options = { integrator = r:pick(INTEGRATORS), accuracy = r:pick { 1e-3, 1e-6, 1e-9 } } }
          local angle = speed * duration + spec.acceleration * duration ^ 2 / 2
          local found, expected = count(spec, sensor), passes(sensor, spec.level, angle)
          -- The last one may be at the end, give or take the accuracy.
          assert.is_true(math.abs(found - expected) <= 1,
            ("%s of %d at %g rad/s with %s"):format(found, expected, speed, spec.options.integrator))
        end
      end)
    end
  end
end)
