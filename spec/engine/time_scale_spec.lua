-- No time is a second by itself: a model whose times are all scaled by a power of two has the same events in the same
-- order, and their times are scaled. Mirrors the places that know the scale of a run: sal__run_scale in base/base.h.
local saltus = require "saltus"

local SPAN = 10 -- of each run, in units

-- What happens in a run: `note(name)` makes handlers that write name, time and the values that they leave.
local function recorder()
  local rows = {}
  local function noting(name, update)
    return function(ctx, next, event)
      rows[#rows + 1] = { name, ctx.time }
      return update and update(ctx, next, event)
    end
  end
  return rows, noting
end

-- Each model is a function that returns its system in units of `s` seconds, its options that are times, and a function
-- that changes the run.
local models = {}

function models.sawtooth(s, on)
  return saltus.system { name = "sawtooth", z = { "v" }, derivatives = function(_, dot) dot.v = 1 / s end,
    events = { { name = "reset", direction = "rising", witness = function(ctx) return ctx.v - 0.7 end,
      unrestricted_update = on("reset", function(_, next) next.v = 0 end) } } }
end

function models.clock(s, on) -- without states
  return saltus.system { name = "clock", discrete = { "n" },
    events = { { name = "half", witness = function(ctx) return (ctx.time / s) % 1 - 0.5 end, max_interval = 0.25 * s,
      direction = "rising", discrete_update = on("half", function(ctx, next) next.n = ctx.n + 1 end) } } }
end

local function ball(s, on, rest)
  return saltus.system { name = "ball", q = { { "h", 1 } }, v = { "u" }, discrete = { { "flies", 1 } },
    derivatives = function(ctx, dot) dot.h, dot.u = ctx.u, -ctx.flies * 9.81 / s ^ 2 end,
    events = { { name = "hit", direction = "falling", witness = function(ctx) return ctx.h end,
      unrestricted_update = on("hit", function(ctx, next) next.h, next.u = 0, -0.8 * ctx.u end),
      on_zeno = on("rest", function(_, next) next.h, next.u, next.flies = 0, 0, 0 end) } } }, rest
end

function models.ball(s, on) return ball(s, on), { characteristic_time = s } end

models["ball of default options"] = function(s, on) return ball(s, on) end

function models.relay(s, on)
  return saltus.system { name = "room", z = { { "warm", 0 } }, discrete = { { "heats", 1 } },
    derivatives = function(ctx, dot) dot.warm = (2 * ctx.heats - ctx.warm) / s end,
    events = {
      { name = "off", direction = "rising", witness = function(ctx) return ctx.warm - 1.1 end,
        unrestricted_update = on("off", function(_, next) next.heats = 0 end) },
      { name = "on", direction = "falling", witness = function(ctx) return ctx.warm - 0.9 end,
        unrestricted_update = on("on", function(_, next) next.heats = 1 end) } } }
end

function models.delay(s, on)
  return saltus.system { name = "loop", z = { { "x", 1 } }, past = { x = 1.5 * s }, history = { x = 1 },
    derivatives = function(ctx, dot) dot.x = -ctx.past.x(1.5 * s) / s end,
    events = { { name = "zero", witness = function(ctx) return ctx.x end, publish = on "zero" } } }
end

models["delayed rate"] = function(s, on)
  return saltus.system { name = "neutral", z = { { "x", 1 } }, past = { x = s },
    history = { x = function(t) return 1 + math.sin(t / s) end },
    derivatives = function(ctx, dot) dot.x = -ctx.x / s - 0.5 * ctx.past_rate.x(s) end,
    events = { { name = "level", witness = function(ctx) return ctx.x - 0.2 end, publish = on "level" } } }
end

models["sampled controller"] = function(s, on)
  return saltus.system { name = "loop", z = { { "x", 0 } }, discrete = { "u", "sum" },
    derivatives = function(ctx, dot) dot.x = (ctx.u - ctx.x) / s end,
    events = {
      { name = "sample", every = 0.3 * s, discrete_update = on("sample", function(ctx, next)
        local off = 1 - ctx.x
        next.sum = ctx.sum + 0.3 * off
        next.u = 2 * off + next.sum
      end) },
      { name = "high", direction = "rising", witness = function(ctx) return ctx.x - 0.95 end,
        publish = on "high" } } }
end

function models.becomes(s, on)
  return saltus.system { name = "tank", z = { { "level", 1 } }, discrete = { { "inflow", 0 } },
    derivatives = function(ctx, dot) dot.level = (ctx.inflow - math.sqrt(math.max(ctx.level, 0))) / s end,
    events = {
      { name = "low", becomes = function(ctx) return ctx.level < 0.5 end,
        discrete_update = on("low", function(_, next) next.inflow = 1.5 end) },
      { name = "high", becomes = function(ctx) return ctx.level > 1.25 end,
        discrete_update = on("high", function(_, next) next.inflow = 0 end) } } }
end

function models.feed(s, on)
  return saltus.system { name = "hand", inputs = { x = 0 }, z = { { "sum", 0 } },
    derivatives = function(ctx, dot) dot.sum = ctx.x / s end,
    events = { { name = "crosses", witness = function(ctx) return ctx.x - 0.25 end, publish = on "crosses" },
      { name = "full", direction = "rising", witness = function(ctx) return ctx.sum - 1 end, publish = on "full" } } },
    {}, function(sim)
      for k = 1, 40 do
        sim:feed("x", 0.25 * k * s, math.sin(k))
        sim:advance_to(0.25 * k * s)
      end
    end
end

models["stiff decay"] = function(s, on)
  return saltus.system { name = "stiff", z = { { "x", 0 }, { "y", 1 } },
    derivatives = function(ctx, dot)
      dot.x = -1000 * (ctx.x - math.cos(ctx.time / s)) / s
      dot.y = (ctx.x - ctx.y) / s
    end,
    events = { { name = "zero", witness = function(ctx) return ctx.y end, publish = on "zero" } } }
end

-- A bead on a circle, kept on it by constraints; its rates by differences, or written.
local function bead(s, on, rates)
  return saltus.system { name = "bead", q = { { "r", { 1, 0 } } }, v = { { "u", { 0, 0 } } },
    derivatives = function(ctx, dot)
      local r, u = ctx.r, ctx.u
      local pull = (u[1] ^ 2 + u[2] ^ 2 - r[2] * 9.81 / s ^ 2) / (r[1] ^ 2 + r[2] ^ 2)
      dot.r = { u[1], u[2] }
      dot.u = { -pull * r[1], -pull * r[2] - 9.81 / s ^ 2 }
    end,
    constraints = function(ctx, residual) residual[1] = ctx.r[1] ^ 2 + ctx.r[2] ^ 2 - 1 end,
    constraint_rates = rates and function(ctx, rate) rate[1] = 2 * (ctx.r[1] * ctx.u[1] + ctx.r[2] * ctx.u[2]) end,
    events = { { name = "lowest", witness = function(ctx) return ctx.r[1] end,
      unrestricted_update = on("lowest", function(ctx, next) next.u = { 0.9 * ctx.u[1], 0.9 * ctx.u[2] } end) } } },
    { characteristic_time = s }
end

function models.bead(s, on) return bead(s, on, nil) end

models["bead with rates"] = function(s, on) return bead(s, on, true) end

models["equation without derivative"] = function(s, on)
  return saltus.system { name = "dae", z = { { "x", 2 }, { "y", 1 } }, mass = { y = 0 }, discrete = { "n" },
    derivatives = function(ctx, dot)
      dot.x, dot.y = -ctx.y / s, ctx.y ^ 3 + ctx.y - ctx.x - ctx.n
    end,
    events = { { name = "low", direction = "falling", witness = function(ctx) return ctx.x - 1 end,
      unrestricted_update = on("low", function(ctx, next) next.x, next.n = 2, ctx.n + 1 end) } } }
end

local function blocks_of(s, on)
  local d = saltus.diagram "blocks"
  d:add(saltus.blocks.sine { frequency = 2 / s }, "wave")
  d:add(saltus.blocks.delay { delay = 0.4 * s, history = 0 }, "late")
  d:add(saltus.blocks.relay { upper = 0.5, lower = -0.5, on = 1, off = -1 }, "relay")
  d:add(saltus.blocks.lag { time_constant = 0.5 * s }, "slow")
  d:add(saltus.blocks.maximum(), "most")
  d:add(saltus.system { name = "watch", inputs = { "x" }, events = { { name = "passes",
    witness = function(ctx) return ctx.x end, publish = on "passes" } } }, "watch")
  d:connect("wave", "late")
  d:connect("late", "relay")
  d:connect("relay", "slow")
  d:connect("slow", "most")
  d:connect("slow", "watch")
  return d
end

models["diagram of blocks"] = function(s, on) return blocks_of(s, on) end

models["timers and demands"] = function(s, on)
  return saltus.system { name = "alarm", z = { { "x", 0 } }, discrete = { { "due", 0.4 * s } },
    derivatives = function(_, dot) dot.x = 1 / s end,
    events = { { name = "ring", next_time = "due", discrete_update = on("ring", function(ctx, next)
      next.due = ctx.time + (0.3 + 0.1 * ctx.x) * s
    end) }, { name = "third", direction = "rising", witness = function(ctx) return ctx.x - 3 end,
      publish = on "third" } } }
end

-- `drive` advances the simulator if that takes more than one call.
local function run(name, s, more)
  local rows, on = recorder()
  local system, options, drive = models[name](s, on)
  options = options or {}
  for k, v in pairs(more or {}) do options[k] = v end
  return saltus.simulator(system, options), rows, drive
end

local function in_units(rows, s)
  local out = {}
  for i, row in ipairs(rows) do out[i] = { row[1], row[2] / s } end
  return out
end

local function events_of(name, s, more)
  local sim, rows, drive = run(name, s, more)
  if drive then drive(sim) else sim:advance_to(sim.context.time + SPAN * s) end
  return in_units(rows, s)
end

local function same(expected, rows, tolerance, most, what)
  for i = 1, most or math.max(#expected, #rows) do
    local a, b = expected[i], rows[i]
    assert.is_true(a and b and a[1] == b[1], ("%s: event %d is %s at %s, not %s at %s"):format(what, i, b and b[1],
      b and b[2], a and a[1], a and a[2]))
    assert.near(a[2], b[2], tolerance * math.abs(a[2]), what)
  end
end

local names = {}
for name in pairs(models) do names[#names + 1] = name end
table.sort(names)

describe("a model of any time scale", function()
  for _, name in ipairs(names) do
    for _, accuracy in ipairs { 1e-3, 1e-6, 1e-9 } do
      it(("has the same events: %s, at %g"):format(name, accuracy), function()
        local expected = events_of(name, 0x1p-5, { accuracy = accuracy })
        assert.is_true(#expected >= 2)
        -- With default options errors of u weigh as in m/s, and a ball may be at rest one bounce earlier.
        local exact, most = name ~= "ball of default options", name:find "ball" and 20
        for _, power in ipairs { -50, -40, -30, -20, -10, 0, 1, 10, 20, 30 } do
          local tolerance = exact and power < 0 and 0 or 100 * accuracy
          local rows = events_of(name, 2.0 ^ power, { accuracy = accuracy })
          same(expected, rows, tolerance, (not exact or power >= 0) and most, "2^" .. power .. " s")
        end
      end)
    end

    local elsewhere = name ~= "feed" and it or function() end -- which is fed from 0 on
    elsewhere("has the same events when it starts far from 0: " .. name, function()
      for _, start in ipairs { -4, -10, 50 } do
        local expected = events_of(name, 0x1p-7, { start_time = start * 0x1p-7 })
        for _, power in ipairs { -50, -30, -10 } do
          local s = 2.0 ^ power
          local rows = events_of(name, s, { start_time = start * s })
          local default = name == "ball of default options"
          same(expected, rows, default and 1e-4 or 0, default and 20, ("2^%d s from %g on"):format(power, start))
        end
      end
    end)

    local in_pieces = name ~= "feed" and it or function() end -- which is fed in pieces above
    in_pieces("has the same events in pieces, saved and loaded: " .. name, function()
      local s = 0x1p-40
      local whole = events_of(name, s)
      local sim, rows = run(name, s)
      for k = 1, 7 do
        sim:advance_to(SPAN * s * k / 7)
        sim:load(sim:save())
      end
      same(whole, in_units(rows, s), 1e-4, name:find "ball" and 20, name)
    end)
  end
end)
