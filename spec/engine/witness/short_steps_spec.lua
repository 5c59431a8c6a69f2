-- Fast witnesses in steps far shorter than those before (hold_at_level in src/engine/witness/locate.c).
local saltus = require "saltus"
local random = require "spec.support.random"

-- From t = 1024, after steps of many seconds, a step is as short as a tick: far shorter than a sine needs to come back.
describe("a fast witness in the first short step after long ones", function()
  local start, span = 1024, 1e-5

  local function wave(r)
    return { pace = 2e6 * math.pi * (0.1 + 2 * r:real()), phase = 2 * math.pi * r:real(), level = 1.6 * r:real() - 0.8,
      tick = 1e-6 * (0.3 + 3 * r:real()), direction = r:chance(0.5) and "crossing" or "rising" }
  end

  local function crossings(w)
    local count = 0
    for _, angle in ipairs { math.asin(w.level), w.direction == "crossing" and math.pi - math.asin(w.level) or nil } do
      local first = math.ceil((w.phase - angle) / (2 * math.pi))
      count = count + math.floor((w.phase + w.pace * span - angle) / (2 * math.pi)) - first + 1
    end
    return count
  end

  local function counted(w)
    local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } },
      discrete = { { "on", 0 }, { "ticks", 0 }, { "count", 0 } },
      derivatives = function(ctx, dot) dot.x = -1e-9 * ctx.x end,
      events = {
        { name = "tick", every = w.tick, offset = start,
          discrete_update = function(ctx, next) next.ticks = ctx.ticks + 1 end },
        { name = "wave", direction = w.direction, when = function(ctx) return ctx.on > 0 end,
          witness = function(ctx) return math.sin(w.pace * (ctx.time - start) + w.phase) - w.level + 0 * ctx.x end,
          discrete_update = function(ctx, next) next.count = ctx.count + 1 end } } })
    sim:advance_to(start)
    sim.context.on = 1
    sim:advance_to(start + span)
    sim:advance_to(start + span) -- what was due at its end
    return sim.context.count
  end

  it("has all its crossings", function()
    local r = random.new(7)
    for _ = 1, 100 do
      local w = wave(r)
      assert.equal(crossings(w), counted(w))
    end
  end)
end)
