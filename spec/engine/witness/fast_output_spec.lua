-- Wheels with a sensor: sines and saw-teeth of an angle that nothing integrates, in a witness or in an output that
-- something else reads. Steps may be longer than a turn. Closed forms say how often the sensor passes its level.
local saltus = require "saltus"
local random = require "spec.support.random"
local cases = require "spec.support.cases"

local TURN = 2 * math.pi

local sensors = {
  sine = { of = function(ctx) return math.sin(ctx.angle) end, first = function(level) return math.asin(level) end },
  ["sine and cosine"] = { of = function(ctx) return 0.8 * math.sin(ctx.angle) + 0.6 * math.cos(ctx.angle) end,
    first = function(level) return math.asin(level) - math.atan(0.6, 0.8) end },
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

describe("what is known of fast outputs", function()
  -- A part of the run depends on the output, or reads the angle in a way that does not show a sine.
  local closures = {
    output = { witness = function(ctx) return ctx.hall - 0.4 end },
    condition = { becomes = function(ctx) return ctx.hall > 0.4 end },
    unseen = { witness = function(ctx) return tonumber(("%.17g"):format(math.sin(ctx.angle))) - 0.4 end },
  }
  local function new(kind, speed, options)
    local event = { direction = kind ~= "condition" and "rising" or nil }
    for key, value in pairs(closures[kind]) do event[key] = value end
    event.name, event.discrete_update = "pass", counts
    return saltus.simulator(wheel({ speed = speed, acceleration = 0.3, decay = 0.3 }, sensors.sine, { event }), options)
  end
  local INTEGRATOR = { "tsitouras5", "auto", "radau5", "runge_kutta3" }

  -- `change` is called at 1 s; returns the simulator that goes on.
  local function result(kind, speed, options, change)
    local sim = new(kind, speed, options)
    sim:advance_to(1)
    sim = change and change(sim) or sim
    sim:advance_to(9)
    return { sim.context.n, sim:hash() }
  end

  for kind in pairs(closures) do
    it("does not depend on who read it, nor on programs, loads and earlier runs: " .. kind, function()
      for k = 1, cases(16) do
        local speed = 10 ^ (0.13 * k - 0.5)
        local function options(more)
          local all = { integrator = INTEGRATOR[1 + k % 4], accuracy = k % 3 == 0 and 1e-3 or nil }
          for key, value in pairs(more or {}) do all[key] = value end
          return all
        end
        local function read(sim) return sim, sim.context.hall end
        local function load(other, sim)
          other:load(sim:save())
          return other
        end
        local expected = result(kind, speed, options())
        assert.same(expected, result(kind, speed, options { compile = false }))
        assert.same(expected, result(kind, speed, options(), read))
        assert.same(expected, result(kind, speed, options(), function(sim) return sim:clone() end))
        assert.same(expected, result(kind, speed, options(), function(sim)
          return load(new(kind, speed, options()), sim)
        end))
        assert.same(expected, result(kind, speed, options(), function(sim)
          local used = new(kind, 60, options())
          saltus.log(used, { "hall" })
          used:advance_to(4)
          return load(used, sim)
        end))
      end
    end)
  end

  it("does not end at the sixteenth sine", function()
    local slow = ("+ math.sin(1e-6 * ctx.angle) "):rep(20)
    local code = ("return { of = function(ctx) return math.sin(ctx.angle) %s end }"):format(slow)
    local turned = ("return { of = function(ctx) return 0 %s + math.sin(ctx.angle) end }"):format(slow)
    for _, text in ipairs { code, turned } do
      local sensor = load(text, "sensor", "t", { math = math })()
      local sim = saltus.simulator(wheel({ speed = 5, acceleration = 0, decay = 0.3 }, sensor, {
        { name = "pass", witness = function(ctx) return ctx.hall - 0.4 end, direction = "rising",
          discrete_update = counts } }))
      sim:advance_to(20)
      assert.equal(passes(sensors.sine, 0.4, 100), sim.context.n)
    end
  end)

  local function passes_of(output, speed, options)
    local sim = saltus.simulator(wheel({ speed = speed, acceleration = 0, decay = 0.1 }, { of = output }, {
      { name = "pass", witness = function(ctx) return ctx.hall end, direction = "rising", discrete_update = counts } }),
      options)
    sim:advance_to(10)
    return sim.context.n
  end

  local function is_far(angle) return angle - 7 * math.floor(angle / 7) > 4 end

  for name, output in pairs {
    ["a table whose element a branch chooses"] = function(ctx)
      local list, k = { 1.0, -1.0, 0.8 }, 2
      if is_far(ctx.angle) then k = 3 end
      return list[k] - 0.1
    end,
    ["a table whose element `and` and `or` choose"] = function(ctx)
      local list = { 1.0, -1.0, 0.8 }
      return list[is_far(ctx.angle) and 2 or 3]
    end,
    ["a sine of a number that a branch chooses"] = function(ctx)
      local number = 2.5
      if is_far(ctx.angle) then number = 5.5 end
      return math.sin(number)
    end,
    ["a loop whose last sine stands still"] = function(ctx)
      local sum = 0.0
      for k = 1, 0, -1 do sum = sum + math.sin(k * ctx.angle) end
      return sum - 0.97
    end,
  } do
    it("sees " .. name, function()
      for _, speed in ipairs { 3, 30, 200 } do
        assert.equal(passes_of(output, speed, { max_step = 0.02 / speed }), passes_of(output, speed))
      end
    end)
  end

  it("costs nothing where flow does not move what is looked up or repeats", function()
    local function reads(output)
      local count = 0
      saltus.simulator(saltus.system { name = "car", z = { { "x", 1 } }, outputs = { { "ratio", output } },
        discrete = { { "gear", 2 } }, derivatives = function(ctx, dot) dot.x = -ctx.x end,
        events = { { name = "e", witness = function(ctx)
          count = count + 1
          return ctx.ratio * ctx.x - 0.5
        end, publish = function() end } } }, { max_step = 0.1 }):advance_to(20)
      return count
    end
    local expected = reads(function() return 1.5 end)
    assert.equal(expected, reads(function(ctx)
      local ratios = { 3.0, 1.5, 1.0 }
      return ratios[ctx.gear]
    end))
    assert.equal(expected, reads(function(ctx) return 1.5 + ctx.gear % 2 end))
    assert.equal(expected, reads(function()
      local sum, ratios = 0.0, { 0.5, 0.25, 0.75 }
      for k = 1, 3 do sum = sum + ratios[k] end
      return sum
    end))
    assert.equal(expected, reads(function(ctx) return 1.5 + math.sin(0 * ctx.gear) end))
    assert.is_true(expected < reads(function(ctx) return 1.5 + 0 * (ctx.x % 1) end))
  end)
end)
