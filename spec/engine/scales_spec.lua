-- Runs on other scales than seconds and ones: of femtoseconds, and of values below the accuracy.
local saltus = require "saltus"

local function oscillator(period)
  local omega = 2 * math.pi / period
  return saltus.system { name = "oscillator", z = { { "x", 0 }, { "y", 1 } }, derivatives = function(ctx, dot)
    dot.x = omega * ctx.y
    dot.y = -omega * ctx.x
  end }
end

describe("a run of femtoseconds", function()
  it("takes the steps of the same run in seconds", function()
    for _, method in ipairs { "tsitouras5", "dormand_prince8", "runge_kutta3", "radau5", "rodas4" } do
      for _, unit in ipairs { 2.0 ^ -50, 2.0 ^ -100 } do
        local sim = saltus.simulator(oscillator(unit), { integrator = method })
        sim:advance_to(1.25 * unit)
        assert.near(1, sim.context.x, 1e-4)
        assert.near(0, sim.context.y, 1e-4)
      end
    end
  end)

  it("may begin before zero", function()
    local sim = saltus.simulator(oscillator(1e-15), { start_time = -1.25e-15 })
    sim:advance_to(0)
    assert.near(1, sim.context.x, 1e-4)
  end)

  it("is loaded where it was saved", function()
    local whole, cut = saltus.simulator(oscillator(1e-15)), saltus.simulator(oscillator(1e-15))
    for _, sim in ipairs { whole, cut } do sim:advance_to(0.6e-15) end
    local other = saltus.simulator(oscillator(1e-15))
    other:load(cut:save())
    whole:advance_to(1e-15)
    other:advance_to(1e-15)
    assert.equal(whole:hash(), other:hash())
  end)
end)

describe("growth from below the accuracy", function()
  local methods = { "tsitouras5", "dormand_prince5", "dormand_prince8", "runge_kutta3", "runge_kutta5",
    "bogacki_shampine3", "radau3", "radau5", "rodas4", "auto" }

  local function grow(method, weight, rate)
    local sim = saltus.simulator(saltus.system { name = "colony", z = { { "x", 1e-15, weight = weight } },
      derivatives = function(ctx, dot) dot.x = rate(ctx.x) end }, { integrator = method })
    sim:advance_to(30)
    return sim
  end

  for _, method in ipairs(methods) do
    it("is reported once, with the weight that helps: " .. method, function()
      local sim = grow(method, nil, function(x) return x end)
      assert.equal(1, #sim.warnings)
      assert.same({ "unseen", "\"x\" of \"colony\"" }, { sim.warnings[1].kind, sim.warnings[1].variable })
      assert.matches("give it a weight", sim.warnings[1].message, 1, true)
      local cured = grow(method, 1e15, function(x) return x end)
      assert.near(1, cured.context.x / (1e-15 * math.exp(30)), 1e-3)
      assert.same({}, cured.warnings)
    end)
  end

  it("is reported for all positions of the steps", function()
    local function told(method, options)
      options.integrator = method
      local sim = saltus.simulator(saltus.system { name = "colony", z = { { "x", 1e-15 } },
        derivatives = function(ctx, dot) dot.x = ctx.x end }, options)
      sim:advance_to(30)
      local error = math.abs(sim.context.x - 1e-15 * math.exp(30))
      assert.is_true(#sim.warnings == 1 or error < 50e-6, ("%s: %g"):format(method, error))
    end
    for _, method in ipairs(methods) do
      for k = 0, 40 do told(method, { initial_step = 1e-5 * 1.4 ^ k }) end
      for _, step in ipairs { 0.5, 1, 2, 5 } do told(method, { max_step = step }) end
    end
  end)

  it("is not reported for decay, rest or driven growth", function()
    local function quiet(states, derivatives, t)
      for _, method in ipairs(methods) do
        local sim = saltus.simulator(saltus.system { name = "quiet", z = states, derivatives = derivatives },
          { integrator = method })
        sim:advance_to(t)
        for _, warning in ipairs(sim.warnings) do assert.not_equal("unseen", warning.kind, method) end
      end
    end
    quiet({ { "x", 1e-15 } }, function(ctx, dot) dot.x = -100 * ctx.x end, 10)
    quiet({ { "x", 1e-15 } }, function(ctx, dot) dot.x = ctx.time ^ 4 end, 2)
    quiet({ { "x", 0 } }, function(ctx, dot) dot.x = math.exp(-(ctx.time - 8) ^ 2) end, 10)
    quiet({ { "angle", math.pi }, { "speed", 0 } }, function(ctx, dot) -- hanging, but for rounding
      dot.angle = ctx.speed
      dot.speed = math.sin(ctx.angle)
    end, 100)
  end)

  it("costs little where others raise many states from below the accuracy", function()
    local names, n = {}, 50
    for i = 1, n do names[i] = { "x" .. i, i == 1 and 1 or 0 } end
    for _, method in ipairs { "tsitouras5", "dormand_prince5", "dormand_prince8" } do
      local sim = saltus.simulator(saltus.system { name = "chain", z = names, derivatives = function(ctx, dot)
        for i = 1, n do
          local here = ctx["x" .. i]
          dot["x" .. i] = (i > 1 and ctx["x" .. i - 1] or 0) - 2 * here + (i < n and ctx["x" .. i + 1] or 0)
        end
      end }, { integrator = method })
      sim:advance_to(20)
      local tries = sim.stats.steps + sim.stats.rejected_steps
      local each = ({ tsitouras5 = 6, dormand_prince5 = 6, dormand_prince8 = 15 })[method]
      assert.same({}, sim.warnings)
      assert.is_true(sim.stats.derivative_evaluations <= 1.02 * each * tries + 10, method)
    end
  end)
end)

describe("a run far from t = 0", function()
  local function forced(start)
    return saltus.system { name = "forced", z = { "y" }, derivatives = function(ctx, dot)
      local angle = 5 * (ctx.time - start)
      dot.y = math.cos(angle) - 3 * (ctx.y - math.sin(angle) / 5)
    end }
  end

  it("takes the steps of the same run near 0, with every method", function()
    for _, method in ipairs { "tsitouras5", "dormand_prince8", "runge_kutta3", "radau3", "radau5", "rodas4" } do
      local steps
      for _, start in ipairs { 0, -1e4, 1e6, -1e8 } do
        local sim = saltus.simulator(forced(start), { integrator = method, start_time = start })
        sim:advance_to(start + 5)
        assert.near(math.sin(25) / 5, sim.context.y, 1e-6)
        steps = steps or sim.stats.steps
        assert.near(steps, sim.stats.steps, 0.25 * steps, method .. " from " .. start)
      end
    end
  end)
end)
