-- Witnesses on one surface, what the handler of one means for the others, and what happens beside them.
local saltus = require "saltus"

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
