-- Mirrors src/engine/warnings.c through the Lua face: what is probably not meant is said once, by name.
local saltus = require "saltus"

describe("sim.warnings", function()
  local decay = saltus.system { name = "decay", z = { { "x", 1 } },
    derivatives = function(ctx, dot) dot.x = -ctx.x end }

  -- What Lua's own warn was given while `run` ran.
  local function heard(run)
    local before, said = warn, {}
    _G.warn = function(...) said[#said + 1] = table.concat { ... } end -- luacheck: ignore
    local good, why = pcall(run)
    _G.warn = before -- luacheck: ignore
    assert(good, why)
    return said
  end

  it("has each warning once, for any number of starts", function()
    local sim = saltus.simulator(decay, { accuracy = 0.5 })
    local said = heard(function()
      sim:advance_to(1)
      sim:advance_to(2)
      sim:initialize()
      sim:advance_to(3)
    end)
    assert.equal(1, #sim.warnings)
    assert.same({ 0, "accuracy" }, { sim.warnings[1].time, sim.warnings[1].kind })
    assert.same({ "saltus: decay asks for an accuracy above 0.1, which leaves no digit right; 1e-3 is coarse, "
      .. "1e-6 the default (at t = 0)" }, said)
  end)

  it("reports a witness that begins at exactly 0 and leaves it", function()
    local function warned(event, start)
      event.name, event.witness = "w", function(ctx) return ctx.x end
      local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", start } }, discrete = { { "u", 1 } },
        derivatives = function(ctx, dot) dot.x = ctx.u + 0.5 end, events = { event } })
      sim:advance_to(1)
      return sim.warnings[1] and sim.warnings[1].kind
    end
    local function toggle(ctx, next) next.u = -ctx.u end
    assert.equal("start", warned({ discrete_update = toggle }, 0))
    assert.equal("start", warned({ direction = "rising", discrete_update = toggle }, 0))
    assert.equal("start", warned({ direction = "rising", unrestricted_update = toggle }, 0))
    assert.is_nil(warned({ direction = "falling", discrete_update = toggle }, 0))
    assert.is_nil(warned({ direction = "rising", discrete_update = toggle }, 0.1))
    assert.is_nil(warned({ direction = "crossing", unrestricted_update = toggle }, 0)) -- a ball thrown from the floor
    assert.is_nil(warned({ publish = function() end }, 0))
  end)

  it("is empty for an ordinary run, and with fixed steps", function()
    for _, options in ipairs { { accuracy = 0.1 }, { accuracy = 0.5, fixed_step = true, max_step = 0.1 } } do
      local sim = saltus.simulator(decay, options)
      sim:advance_to(1)
      assert.same({}, sim.warnings)
    end
  end)
end)

describe("a log whose interval is lost in the time", function()
  it("causes a warning, once, and only when it is necessary", function()
    local clock = saltus.system { name = "clock", z = { x = 0 }, derivatives = function(_, dot) dot.x = 1 end }
    local sim = saltus.simulator(clock)
    saltus.log(sim, { "x", every = 1e-300 })
    sim:advance_to(1)
    sim:advance_to(2)
    assert.equal(1, #sim.warnings)
    assert.equal("log", sim.warnings[1].kind)
    assert.matches("^clock is recorded at an interval below 16 ulp of the time.*give the log a longer `every`",
      sim.warnings[1].message)
    sim = saltus.simulator(clock, { start_time = 1e9 })
    local log = saltus.log(sim, { "x", every = 2e-6 }) -- 16 ulp are 1.9e-6
    sim:advance_to(1e9 + 1e-3)
    assert.same({}, sim.warnings)
    assert.is_true(#log.time > 490)
  end)
end)
