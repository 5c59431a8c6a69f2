-- Witnesses on one surface, what the handler of one means for the others, and what happens beside them.
local saltus = require "saltus"

-- The handler turns the flow, so the way back is a crossing, whatever other parts do in that instant.
describe("a flow that a crossing turns", function()
  local function times(level, beside)
    local turned = saltus.system { name = "turned", z = { { "x", level - 1 } }, discrete = { { "speed", 1 }, "n" },
      derivatives = function(ctx, dot) dot.x = ctx.speed end,
      events = { { name = "cross", witness = function(ctx) return ctx.x - level end,
        discrete_update = function(ctx, next) next.n, next.speed = ctx.n + 1, -1 end } } }
    local ticks = saltus.system { name = "ticks", z = { "y" }, derivatives = function(_, dot) dot.y = 1 end,
      events = { { name = "tick", every = 1, unrestricted_update = function(ctx, next) next.y = ctx.y + 1 end },
        beside == "with rounds" and { name = "high", becomes = function(ctx) return ctx.y > 100 end } or nil } }
    local d = saltus.diagram "d"
    d:add(turned)
    if beside then d:add(ticks) end
    local sim = saltus.simulator(d)
    local log = saltus.log(sim, {})
    sim:advance_to(3)
    return log:times "turned.cross"
  end

  for _, level in ipairs { 0, 0.1, 1 } do
    it("crosses there and back, also where another part moves its own state, at " .. level, function()
      for _, beside in ipairs { false, "alone", "with rounds" } do
        local at = times(level, beside)
        assert.equal(2, #at, tostring(beside))
        assert.near(1, at[2], 1e-7)
      end
    end)
  end
end)

-- The search between the ends of a step, and with it the slope at the start, is missing in some runs.
describe("a witness that rests at zero", function()
  for _, options in ipairs { { integrator = "explicit_euler", max_step = 0.1 }, { integrator = "implicit_euler" },
    { integrator = "radau1" }, { interior_search = false }, {} } do
    local label = (options.integrator or "auto") .. (options.interior_search == false and ", no search" or "")
    it("does not fire, and its run goes on: " .. label, function()
      for _, direction in ipairs { "crossing", "rising", "falling" } do
        for _, is_open in ipairs { true, false } do
          local sim = saltus.simulator(saltus.system { name = "rest", z = { "x", "y" },
            derivatives = function(_, dot) dot.x, dot.y = 0, 1 end,
            events = { { name = "leave", direction = direction, witness = function(ctx) return ctx.x end,
              when = not is_open and function(ctx) return ctx.y > 2 end or nil, publish = function() end } } }, options)
          local log = saltus.log(sim, {})
          sim:advance_to(1)
          assert.equal(0, #log:times "leave")
          assert.is_true(sim.stats.steps < 40, sim.stats.steps)
        end
      end
    end)
  end
end)
