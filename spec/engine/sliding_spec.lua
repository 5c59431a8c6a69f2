-- A state that slides along a surface where its derivative jumps: what every integrator under error control makes of
-- it. A run that comes to its end is right, or a warning says that it may not be.
local saltus = require "saltus"
local cases = require "spec.support.cases"

local function sign(x) return x > 0 and 1 or -1 end

local function of(states, derivatives)
  return saltus.system { name = "sliding", z = states, derivatives = derivatives }
end

-- Each with the state at its end, t.
local models = {
  ["a drift into a wall"] = { t = 5, ends = { x = 0 },
    system = of({ { "x", 1 } }, function(ctx, dot) dot.x = 0.5 - sign(ctx.x) end) },
  ["a relay against a sine"] = { t = 5, ends = { x = 0.25 },
    system = of({ { "x", 1 } }, function(ctx, dot) dot.x = math.sin(ctx.time) - 3 * sign(ctx.x - 0.25) end) },
  -- Half swings about 0.3 and -0.3 take it to -0.4 and -0.2, where the spring is too weak to move it.
  ["dry friction"] = { t = 10, ends = { x = -0.2, v = 0 },
    system = of({ { "x", 1 }, { "v", 0 } }, function(ctx, dot)
      dot.x = ctx.v
      dot.v = -ctx.x - 0.3 * sign(ctx.v)
    end) },
  -- y = 1 - 4 t meets the line x + y = 0 at t = 1/2, where x = 1; along it x' = -x.
  ["a line in the plane"] = { t = 5, ends = { x = math.exp(-4.5), y = -math.exp(-4.5) },
    system = of({ { "x", 1 }, { "y", 1 } }, function(ctx, dot)
      dot.x = ctx.y
      dot.y = -4 * sign(ctx.x + ctx.y)
    end) },
}

local methods = { "auto", "tsitouras5", "dormand_prince5", "dormand_prince8", "runge_kutta3", "runge_kutta5",
  "bogacki_shampine3", "implicit_euler", "velocity_implicit_euler", "radau1", "radau3", "radau5", "rodas4" }

-- The error at the end and the simulator; nil where the run failed or took too long.
local function slide(model, method, accuracy)
  local sim = saltus.simulator(model.system, { integrator = method, accuracy = accuracy, max_steps_per_call = 20000 })
  local good, status = pcall(sim.advance_to, sim, model.t)
  if not good or status.reason ~= "reached_boundary_time" then return nil, sim end
  local worst = 0
  for name, value in pairs(model.ends) do worst = math.max(worst, math.abs(sim.context[name] - value)) end
  return worst, sim
end

describe("a state that slides", function()
  for name, model in pairs(models) do
    for _, method in ipairs(methods) do
      it(("with %s ends correctly, or with a warning: %s"):format(name, method), function()
        for _, accuracy in ipairs { 1e-3, 1e-6, 1e-9 } do
          local worst, sim = slide(model, method, accuracy)
          assert.is_true(not worst or worst < 20 * accuracy or #sim.warnings > 0,
            ("accuracy %g, error %g"):format(accuracy, worst or 0))
        end
      end)
    end
  end

  it("holds radau5 at the wall, also where the Jacobian's differences straddle it", function()
    local worst = slide(models["a drift into a wall"], "radau5", 1e-3)
    assert.is_true(worst < 1e-2)
    local _, sim = slide(models["a drift into a wall"], "radau5", 1e-6)
    assert.is_true(sim.context.time > 2 and math.abs(sim.context.x) < 1e-5)
  end)

  it("is named in the warning, with the remedy", function()
    local _, sim = slide(models["dry friction"], "tsitouras5", 1e-3)
    assert.equal(1, #sim.warnings)
    local warning = sim.warnings[1]
    assert.same({ "jumps", "\"v\" of \"sliding\"" }, { warning.kind, warning.variable })
    assert.matches("make the jump an event, with hysteresis or with a mode", warning.message, 1, true)
    assert.is_true(warning.time > 2 * math.pi - 0.1 and warning.time < 10)
  end)

  it("is reported although no step is rejected, long before a run takes its millions of steps", function()
    local switch = of({ { "x", 0 } }, function(ctx, dot) dot.x = ctx.x < 1 and 1 or -1 end)
    for _, method in ipairs { "auto", "tsitouras5", "dormand_prince8", "bogacki_shampine3", "runge_kutta3" } do
      for _, accuracy in ipairs { 1e-3, 1e-6, 1e-9 } do
        local sim = saltus.simulator(switch, { integrator = method, accuracy = accuracy, max_steps_per_call = 2000 })
        sim:advance_to(1000)
        local kinds = {}
        for _, warning in ipairs(sim.warnings) do kinds[warning.kind] = true end
        assert.is_true(kinds.jumps, method .. " " .. accuracy)
      end
    end
  end)

  it("is not reported for a jump after which a smooth problem turns or stiffens", function()
    local shaken = of({ { "x", 1 }, { "y", 0 } }, function(ctx, dot)
      dot.x, dot.y = ctx.y, -ctx.x + (ctx.time > 1 and 1 or 0)
    end)
    local stiff = of({ { "x", 2 } }, function(ctx, dot) dot.x = -1e3 * (ctx.x - (ctx.time > 1 and 1 or 0)) end)
    for _, system in ipairs { shaken, stiff } do
      for _, method in ipairs { "auto", "tsitouras5", "dormand_prince8", "bogacki_shampine3" } do
        for _, accuracy in ipairs { 1e-3, 1e-6, 1e-9 } do
          local sim = saltus.simulator(system, { integrator = method, accuracy = accuracy })
          sim:advance_to(10)
          for _, warning in ipairs(sim.warnings) do assert.not_equal("jumps", warning.kind, method) end
        end
      end
    end
  end)

  it("is not reported for smooth problems, whose variables turn back again and again", function()
    local smooth = {
      lorenz = { 30, of({ { "x", 1 }, { "y", 1 }, { "z", 1 } }, function(ctx, dot)
        dot.x, dot.y = 10 * (ctx.y - ctx.x), ctx.x * (28 - ctx.z) - ctx.y
        dot.z = ctx.x * ctx.y - 8 / 3 * ctx.z
      end) },
      kepler = { 20, of({ { "x", 0.1 }, { "y", 0 }, { "u", 0 }, { "v", math.sqrt(19) } }, function(ctx, dot)
        local cube = (ctx.x ^ 2 + ctx.y ^ 2) ^ 1.5
        dot.x, dot.y, dot.u, dot.v = ctx.u, ctx.v, -ctx.x / cube, -ctx.y / cube
      end) },
      springs = { 50, of({ { "a", 1 }, { "b", 0 }, { "c", 1 }, { "d", 0 } }, function(ctx, dot)
        dot.a, dot.b, dot.c, dot.d = ctx.b, -ctx.a, ctx.d, ctx.a - 30 * ctx.c
      end) },
      relaxation = { 50, of({ { "x", 2 }, { "v", 0 } }, function(ctx, dot)
        dot.x, dot.v = ctx.v, 5 * (1 - ctx.x ^ 2) * ctx.v - ctx.x
      end) },
    }
    for name, problem in pairs(smooth) do
      for _, method in ipairs { "auto", "tsitouras5", "dormand_prince5", "dormand_prince8", "bogacki_shampine3" } do
        for digits = 2, 1 + cases(9) do
          local sim = saltus.simulator(problem[2], { integrator = method, accuracy = 10 ^ -digits,
            max_steps_per_call = 40000 })
          sim:advance_to(problem[1])
          for _, warning in ipairs(sim.warnings) do
            assert.not_equal("jumps", warning.kind, ("%s, %s, 1e-%d"):format(name, method, digits))
          end
        end
      end
    end
  end)

  it("is not reported for jumps far apart", function()
    local square = of({ { "x", 0 } }, function(ctx, dot) dot.x = sign(math.sin(ctx.time)) - ctx.x end)
    for _, method in ipairs { "tsitouras5", "dormand_prince5", "dormand_prince8", "runge_kutta3", "radau5" } do
      local sim = saltus.simulator(square, { integrator = method })
      sim:advance_to(100)
      assert.same({}, sim.warnings, method)
    end
  end)

  -- A converter whose current turns back at each switch, in steps that are shorter than those after a rejection.
  it("is not reported for derivatives that jump at events", function()
    for _, of_case in ipairs {
      { L = 1.7782220010694e-05, C = 1.7578671205169e-05, R = 10.247057985332, duty = 0.14356720261979,
        E = 10.565237815622, T = 1.9772017796609e-05 },
      { L = 5.1289386183553e-05, C = 2.119088026351e-05, R = 154.22129337209, duty = 0.15907768959109,
        E = 13.147769112448, T = 3.1441528183474e-05 },
    } do
      local converter = saltus.system { name = "converter", z = { "i", "v" }, params = of_case,
        discrete = { { "switch", "on", values = { "on", "off" } }, { "diode", "off", values = { "on", "off" } },
          { "off_at", 0 } },
        derivatives = function(ctx, dot)
          local conducts = ctx.switch == "on" or ctx.diode == "on"
          dot.i = conducts and ((ctx.switch == "on" and ctx.E or 0) - ctx.v) / ctx.L or 0
          dot.v = (ctx.i - ctx.v / ctx.R) / ctx.C
        end,
        events = {
          { name = "on", every = of_case.T, discrete_update = function(ctx, next)
            next.switch, next.diode, next.off_at = "on", "off", ctx.time + ctx.T * ctx.duty
          end },
          { name = "off", next_time = "off_at", discrete_update = function(_, next)
            next.switch, next.diode = "off", "on"
          end },
          { name = "block", direction = "falling", when = function(ctx) return ctx.diode == "on" end,
            witness = function(ctx) return ctx.i end,
            unrestricted_update = function(_, next) next.diode, next.i = "off", 0 end },
        } }
      local sim = saltus.simulator(converter, { characteristic_time = of_case.T, accuracy = 1e-8 })
      sim:advance_to(100 * of_case.T)
      assert.same({}, sim.warnings)
    end
  end)
end)
