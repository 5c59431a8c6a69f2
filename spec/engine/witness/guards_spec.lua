-- Mirrors src/engine/witness/guard.c: a crossing counts where the guard (`when`) of its event holds at that very point,
-- whatever it says at the ends of the steps around it.
local saltus = require "saltus"

local methods = { "tsitouras5", "runge_kutta3", "bogacki_shampine3", "dormand_prince8", "radau5" }

-- A closure that stays in Lua: it calls a function that cannot be compiled.
local function opaque(fn)
  local call = setmetatable({}, { __call = function(_, ctx) return fn(ctx) end })
  return function(ctx) return call(ctx) end
end

-- x = sin, y = cos of the time since `start`.
local function circle(events, options, start)
  return saltus.simulator(saltus.system { name = "circle", z = { { "x", 0 }, { "y", 1 } },
    derivatives = function(ctx, dot) dot.x, dot.y = ctx.y, -ctx.x end, events = events }, options, start)
end

-- Times of sin = level up to `span` that `counts`.
local function crossings(level, span, counts)
  local list = {}
  for turn = 0, math.ceil(span / (2 * math.pi)) do
    for side, at in ipairs { math.asin(level), math.pi - math.asin(level) } do
      local t = at + 2 * math.pi * turn
      if t > 0 and t < span and counts(t, side == 1) then list[#list + 1] = t end
    end
  end
  table.sort(list)
  return list
end

local function same_times(expected, got, margin, what)
  assert.equal(#expected, #got, what)
  for k, t in ipairs(expected) do assert.near(t, got[k], margin, what) end
end

describe("a guard that flow opens and closes", function()
  local span, margin = 6 * math.pi - 0.3, 1e-4
  local guards = {
    { name = "the other state", when = function(ctx) return ctx.y > 0 end,
      at = function(t) return math.cos(t) > 0 end },
    { name = "its end", when = function(ctx) return not (ctx.y >= 0.1) end,
      at = function(t) return math.cos(t) < 0.1 end },
    { name = "a closure in Lua", when = opaque(function(ctx) return ctx.y > 0 end), most = 0.5,
      at = function(t) return math.cos(t) > 0 end },
    { name = "open for less than a step", when = function(ctx) return math.abs(ctx.y - 0.7) < 0.05 end,
      at = function(t) return math.abs(math.cos(t) - 0.7) < 0.05 end },
    { name = "state and time", when = function(ctx) return ctx.y * math.cos(0.37 * ctx.time) < 0.2 and ctx.time > 1 end,
      at = function(t) return math.cos(t) * math.cos(0.37 * t) < 0.2 and t > 1 end },
  }

  for _, guard in ipairs(guards) do
    it("counts at the crossing: " .. guard.name, function()
      for n, method in ipairs(methods) do
        for k = 1, 12 do
          local level, direction = -0.93 + 0.155 * k, ({ "crossing", "rising", "falling" })[k % 3 + 1]
          local got, what = {}, ("%s, level %g, %s"):format(method, level, direction)
          local sim = circle({ { name = "w", when = guard.when, witness = function(ctx) return ctx.x - level end,
            direction = direction, publish = function(ctx)
              got[#got + 1] = ctx.time
              assert.is_true(guard.when(ctx), what)
            end } }, { integrator = method, accuracy = 1e-6, max_step = guard.most or 2,
              event_state = (k + n) % 2 == 0 and "reintegrate" or nil })
          if k % 4 == 0 then for cut = 1, 20 do sim:advance_to(cut * 0.77) end end
          sim:advance_to(span)
          same_times(crossings(level, span, function(t, rises)
            return guard.at(t) and (direction == "crossing" or rises == (direction == "rising"))
          end), got, margin, what)
        end
      end
    end)
  end

  it("makes a ball bounce whose witness is active only while it falls", function() -- it fell through the floor
    for _, method in ipairs(methods) do
      for _, falling in ipairs { function(ctx) return ctx.speed < 0 end,
        opaque(function(ctx) return ctx.speed < 0 end) } do
        for _, floor in ipairs { 0, 1 } do
          local touches = {}
          local ball = saltus.system { name = "ball", q = { { "height", floor + 1 } }, v = { { "speed", 0 } },
            derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -9.81 end,
            events = { { name = "touch", when = falling, direction = "falling",
              witness = function(ctx) return ctx.height - floor end,
              unrestricted_update = function(ctx, next)
                touches[#touches + 1] = ctx.time
                next.speed = -ctx.speed
              end } } }
          local sim = saltus.simulator(ball, { integrator = method, accuracy = 1e-6 })
          sim:advance_to(10)
          local first = math.sqrt(2 / 9.81)
          local expected = {}
          for k = 1, math.floor((10 / first + 1) / 2) do expected[k] = (2 * k - 1) * first end
          same_times(expected, touches, 1e-5, method)
        end
      end
    end
  end)

  it("ignores a crossing while it is closed, and finds the next crossing of the same step", function()
    local got = {}
    local sim = saltus.simulator(saltus.system { name = "throw", q = { { "height", 0 } }, v = { { "speed", 8 } },
      derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -10 end,
      events = { { name = "down", when = function(ctx) return ctx.speed < 0 end,
        witness = function(ctx) return ctx.height - 3 end, publish = function(ctx) got[#got + 1] = ctx.time end } } })
    sim:advance_to(5)
    same_times({ 0.8 + 0.2 }, got, 1e-9)
  end)

  it("counts for a fed input, and across a diagram", function()
    local got, fed = {}, {}
    local wave = saltus.system { name = "wave", z = { { "x", 0 }, { "y", 1 } },
      derivatives = function(ctx, dot) dot.x, dot.y = ctx.y, -ctx.x end,
      outputs = { x = function(ctx) return ctx.x end, y = function(ctx) return ctx.y end } }
    local watch = saltus.system { name = "watch", inputs = { { "x" }, { "y" }, { "open", 0 } }, events = {
      { name = "w", when = function(ctx) return ctx.y > 0 end, witness = function(ctx) return ctx.x - 0.5 end,
        publish = function(ctx) got[#got + 1] = ctx.time end },
      { name = "f", when = function(ctx) return ctx.open > 1 end, witness = function(ctx) return ctx.x - 0.5 end,
        publish = function(ctx) fed[#fed + 1] = ctx.time end } } }
    local d = saltus.diagram "d"
    d:add(wave, "wave")
    d:add(watch, "watch")
    for _, port in ipairs { "x", "y" } do d:connect("wave." .. port, "watch." .. port) end
    local sim = saltus.simulator(d, { max_step = 2, accuracy = 1e-6 })
    sim:initialize()
    sim:feed("watch.open", 20, 2)
    sim:advance_to(20)
    same_times(crossings(0.5, 20, function(t) return math.cos(t) > 0 end), got, margin)
    same_times(crossings(0.5, 20, function(t) return t > 10 end), fed, margin)
  end)

  it("counts where it closes as the witness crosses", function()
    local got = {}
    local sim = saltus.simulator(saltus.system { name = "tank", z = { { "level", 1 } },
      derivatives = function(_, dot) dot.level = -0.3 end,
      events = { { name = "empty", when = function(ctx) return ctx.level > 0 end, direction = "falling",
        witness = function(ctx) return ctx.level end, publish = function(ctx) got[#got + 1] = ctx.time end } } })
    sim:advance_to(10)
    same_times({ 1 / 0.3 }, got, 1e-8)
  end)

  it("is read at the ends of the step without isolation", function()
    local got = {}
    local sim = circle({ { name = "w", when = function(ctx) return ctx.y > 0 end,
      witness = function(ctx) return ctx.x - 0.5 end, publish = function(ctx) got[#got + 1] = ctx.time end } },
      { integrator = "runge_kutta4", fixed_step = true, max_step = 0.01, isolation = false })
    sim:advance_to(20)
    same_times(crossings(0.5, 20, function(t) return math.cos(t) > 0 end), got, 0.0101)
  end)
end)

describe("a witness without a value where its guard is closed", function()
  -- The square root crosses 0.1 soon after the guard opens, and soon before it shuts.
  local function root(ctx) return math.sqrt(ctx.x) - 0.1 end
  local function failing(ctx)
    if ctx.x < 0 then error "there is none" end
    return root(ctx)
  end

  it("is found where the guard is open, without an error", function()
    for _, witness in ipairs { root, opaque(root), opaque(failing), failing } do
      for _, when in ipairs { function(ctx) return ctx.x >= 0 end, opaque(function(ctx) return ctx.x >= 0 end) } do
        for _, method in ipairs(methods) do
          local got = {}
          local sim = circle({ { name = "w", when = when, witness = witness,
            publish = function(ctx) got[#got + 1] = ctx.time end } },
            { integrator = method, accuracy = 1e-6, max_step = 0.6 })
          sim:advance_to(20)
          same_times(crossings(0.01, 20, function() return true end), got, 1e-4, method)
        end
      end
    end
  end)

  it("is an error where the guard is open", function()
    local sim = circle { { name = "w", when = function(ctx) return ctx.x > -0.5 end, witness = root } }
    assert.error_matches(function() sim:advance_to(20) end, "the witness returned NaN")
  end)
end)

describe("a guard that depends on modes only", function()
  it("stops its witness from being read", function()
    local read = 0
    local sim = saltus.simulator(saltus.system { name = "m", z = { { "x", 0 } },
      discrete = { { "mode", "off", values = { "off", "on" } } },
      derivatives = function(_, dot) dot.x = 1 end,
      events = { { name = "w", when = function(ctx) return ctx.mode == "on" end,
        witness = opaque(function(ctx)
          read = read + 1
          return ctx.x - 1
        end) } } })
    sim:advance_to(5)
    assert.equal(0, read)
  end)
end)
