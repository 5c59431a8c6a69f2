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
    assert.same({ "saltus: decay has an accuracy above 0.1, with which no digit is right; 1e-3 is coarse, "
      .. "1e-6 the default (at t = 0)" }, said)
  end)

  it("reports a witness that an update moves to its other side, but not to zero, give or take rounding", function()
    local ulp = 2.0 ^ -53
    for value, warned in pairs { [-0.1] = true, [-1e-6] = true, [-ulp] = false, [0] = false, [ulp] = false } do
      local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 1 } },
        derivatives = function(_, dot) dot.x = 1 end, events = {
          { name = "edge", direction = "falling", witness = function(ctx) return ctx.x end },
          { name = "land", every = 1, offset = 0.5, unrestricted_update = function(_, next) next.x = value end } } })
      sim:advance_to(1)
      assert.equal(warned, #sim.warnings > 0)
    end
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

  it("reports one that leaves 0 with a slope of 0: a ball that lies on the floor and falls through it", function()
    local function warned(direction, gravity)
      local sim = saltus.simulator(saltus.system { name = "s", q = { "height" }, v = { "speed" },
        derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -gravity end,
        events = { { name = "bounce", direction = direction, witness = function(ctx) return ctx.height end,
          unrestricted_update = function(ctx, next) next.speed = -ctx.speed end } } })
      sim:advance_to(1)
      return #sim.warnings
    end
    assert.equal(1, warned("falling", 9.81))
    assert.equal(1, warned("rising", -9.81))
    assert.equal(0, warned("falling", 0)) -- it stays there
    assert.equal(0, warned("falling", -9.81))
  end)

  describe("about closures that are not repeatable", function()
    local random, library = math.random, math
    local function helper() return 1 + random() end
    local function warned(more)
      local def = { name = "s", z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = -ctx.x end }
      for key, value in pairs(more) do def[key] = value end
      local sim = saltus.simulator(saltus.system(def))
      sim:advance_to(1)
      sim:advance_to(2)
      return sim.warnings
    end
    local this_file = debug.getinfo(1, "S").short_src:gsub("%p", "%%%0")
    local function why(closure, called, cure)
      return ('^%s of "s" %%(%s:%%d+%%) calls %s; a function of time and state must return the '
        .. 'same value for the same arguments, because steps call it several times and are repeated; %s and keep the '
        .. 'value in a discrete variable %%(at t = 0%%)$'):format(closure, this_file, called, cure)
    end
    local draw, clock = "draw by next.random%(%) in an update", "use ctx.time, or read the clock in an update"

    it("names the closure, what it calls, and what to do, once", function()
      for _, derivatives in ipairs {
        function(_, dot) dot.x = 0 * math.random() end, function(_, dot) dot.x = 0 * random() end,
        function(_, dot) dot.x = 0 * library.random(3) end, function(_, dot) dot.x = 0 * helper() end } do
        local list = warned { derivatives = derivatives }
        assert.equal(1, #list)
        assert.same({ 0, "not_repeatable", "s" }, { list[1].time, list[1].kind, list[1].system })
        assert.matches(why("derivatives", "math.random", draw), list[1].message)
      end
      local list = warned { derivatives = function(_, dot) dot.x = 0 * os.clock() end,
        outputs = { y = function() return math.random() end },
        events = { { name = "e", witness = function() return 2 + 0 * random() end, publish = function() end },
          { name = "f", every = 1, when = function(ctx) return ctx.y > 2 end, publish = function() end } } }
      local messages = {}
      for i, warning in ipairs(list) do messages[i] = warning.message end
      table.sort(messages)
      assert.equal(3, #messages)
      assert.matches(why("derivatives", "os.clock", clock), messages[1])
      assert.matches(why('output "y"', "math.random", draw), messages[2])
      assert.matches(why('the witness of event "e"', "math.random", draw), messages[3])
    end)

    it("name math.random in an update, also beside next.random", function()
      for _, update in ipairs { function(_, next) next.n = math.random() end, function(_, next) next.n = helper() end,
        function(_, next) next.n = library.random(3) + next.random() end } do
        for _, kind in ipairs { "discrete_update", "unrestricted_update" } do
          local list = warned { discrete = { "n" }, events = { { name = "e", every = 0.5, [kind] = update } } }
          assert.equal(1, #list)
          assert.same({ 0, "not_repeatable", "s" }, { list[1].time, list[1].kind, list[1].system })
          assert.matches(('^event "e" of "s" %%(%s:%%d+%%) calls math.random, whose numbers the seed of the run does '
            .. 'not determine; draw by next.random%%(%%) %%(at t = 0%%)$'):format(this_file), list[1].message)
        end
      end
    end)

    it("name math.random in a story, and in functions that it calls or spawns, once", function()
      local function customer(s) s:wait(math.random()) end
      for _, story in ipairs { customer, function(s) s:spawn("b", customer) end,
        function(s) s:spawn(function(t) t:wait(math.random()) end) end } do
        local sim = saltus.simulator(saltus.system { name = "s" })
        local stories = saltus.stories(sim)
        stories:spawn("a", story)
        stories:spawn("a", story)
        sim:advance_to(3)
        assert.equal(1, #sim.warnings)
        assert.matches(('^story "a" %%(%s:%%d+%%) calls math.random, whose numbers the seed of the run does not '
          .. 'determine; draw by s:random%%(%%), .* %%(at t = 0%%)$'):format(this_file), sim.warnings[1].message)
      end
    end)

    it("are not given for stories that draw their own numbers", function()
      local sim = saltus.simulator(saltus.system { name = "s" })
      saltus.stories(sim):spawn(function(s) s:wait(math.floor(10 * s:random()) + s:integer(1, 3)) end)
      sim:advance_to(3)
      assert.same({}, sim.warnings)
    end)

    it("is silent about publishes and other functions", function()
      assert.same({}, warned { derivatives = function(ctx, dot) dot.x = math.sin(ctx.time) * math.max(1, ctx.x) end,
        discrete = { "n", "clock", "randomness" },
        outputs = { y = function(ctx) return math.abs(ctx.clock + ctx.randomness) end },
        events = { { name = "e", every = 0.5, discrete_update = function(_, next)
          next.n = math.floor(next.random()) + os.clock()
        end }, { name = "p", every = 0.5, publish = function() assert(random() >= 0 and os.clock() >= 0) end } } })
    end)
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
