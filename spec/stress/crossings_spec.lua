-- Crossings of an oscillator x = cos t: those that only just happen, two to a step, are found, and none that does not
-- happen; what fires is what the run's own dense output crosses. (By the thousand: src/numerics/root_finder_test.c,
-- src/engine/witness/locate_test.c.)
local saltus = require "saltus"
local cases = require "spec.support.cases"

local function oscillator(levels, log)
  local events = {}
  for i, level in ipairs(levels) do
    events[i] = { name = "w" .. i, witness = function(ctx) return ctx.x - level end,
      publish = function(ctx) log[#log + 1] = { i, ctx.time, ctx.x - level } end }
  end
  return saltus.system { name = "oscillator", q = { { "x", 1 } }, v = { { "v", 0 } },
    derivatives = function(ctx, dot) dot.x, dot.v = ctx.v, -ctx.x end, events = events }
end

local methods = { { "runge_kutta5", 1e-10 }, { "tsitouras5", 1e-10 }, { "runge_kutta3", 1e-9 } }

describe("grazing crossings", function()
  for _, method in ipairs(methods) do
    it("are found, with no false ones, by " .. method[1], function()
      for depth = 3, 7 do
        for _, side in ipairs { -1, 1 } do
          local log = {}
          local sim = saltus.simulator(oscillator({ 1 + side * 10.0 ^ -depth }, log), { integrator = method[1],
            accuracy = method[2], max_step = 0.7 })
          sim:advance_to(3 * math.pi) -- past one top
          local first = math.acos(math.min(1, 1 - 10.0 ^ -depth))
          if side > 0 then
            assert.same({}, log)
          else
            assert.equal(3, #log)
            assert.near(first, log[1][2], 1e-3 * first)
            assert.near(2 * math.pi - first, log[2][2], 1e-2 * first)
            assert.near(2 * math.pi + first, log[3][2], 1e-2 * first)
            assert.is_true(log[1][3] <= 0 and log[2][3] >= 0 and log[3][3] <= 0) -- the far side
          end
        end
      end
    end)
  end
end)

describe("many witnesses", function()
  for _, method in ipairs { "runge_kutta5", "tsitouras5", "runge_kutta3", "bogacki_shampine3" } do
    it("fire for crossings of the dense output, and nothing else, with " .. method, function()
      local levels, log = {}, {}
      for i = 1, 20 do levels[i] = (i - 10.5) / 10.2 end
      local sim = saltus.simulator(oscillator(levels, log), { integrator = method, accuracy = 1e-5 })
      local scanned, last, t0, points = 0, 1, 0, 40 + cases(360)
      for t, ctx in sim:steps(6 * math.pi) do
        for k = 1, points do
          local x = k == points and ctx.x or sim:state_at(t0 + (t - t0) * k / points).x
          for i = 1, t > t0 and 20 or 0 do
            if (last > levels[i]) ~= (x > levels[i]) then scanned = scanned + 1 end
          end
          last = x
          if t == t0 then break end
        end
        t0 = t
      end
      assert.equal(scanned, #log)
      assert.equal(20 * 6, #log)
    end)
  end
end)
