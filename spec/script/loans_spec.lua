-- Simulators that a program in C borrows: src/binding/script/lend.c, lua/saltus/script/loan.lua.
local saltus = require "saltus"
local core = require "saltus.core"
local c = require "spec.script.module"
local twins = require "spec.script.twins"

local status = core.constants.status

local function collect() for _ = 1, 3 do collectgarbage() end end

local function loop(plant, servo)
  local d = saltus.diagram "loop"
  d:add(plant, "plant")
  d:add(servo, "servo")
  d:connect("plant.angle", "servo.angle")
  d:connect("plant.rate", "servo.rate")
  d:connect("servo.torque", "plant.torque")
  return d
end

describe("a lent simulator", function()
  for name, of in pairs { C = c, Lua = twins } do
    it("runs in C to the bits of a run in Lua, under a controller in " .. name, function()
      local ours = saltus.simulator(loop(twins.oscillator(), of.servo()), { seed = 3 })
      local theirs = saltus.simulator(loop(twins.oscillator(), of.servo()), { seed = 3 })
      local log, other_log = saltus.log(ours, { "plant.angle" }), saltus.log(theirs, { "plant.angle" })
      local sim = assert(c.lend(ours))
      for i = 1, 40 do -- programs replace closures on the way
        assert.equal(0, (c.advance(sim, i / 10)))
        theirs:advance_to(i / 10)
      end
      assert.equal(theirs:hash(), ours:hash())
      assert.same(other_log["plant.angle"], log["plant.angle"])
      assert.equal(theirs.context["plant.energy"], (c.output(sim, 0, 0)))
      ours:advance_to(5) -- both languages take turns
      theirs:advance_to(5)
      assert.equal(0, (c.advance(sim, 6)))
      theirs:advance_to(6)
      assert.equal(theirs:hash(), ours:hash())
      c.release(sim)
    end)
  end

  it("sees what Lua changed between two calls", function()
    local gain = 1
    local system = saltus.system { name = "s", z = { x = 0 },
      outputs = { twice = function(ctx) return gain * ctx.x end },
      derivatives = function(_, dot) dot.x = gain end }
    local ours = saltus.simulator(system)
    local sim = assert(c.lend(ours))
    c.advance_often(sim, 1, 300) -- compiled by then
    assert.near(1, ours.context.x, 1e-9)
    gain = 3
    c.edit(sim, 0, 2, 0, 10)
    assert.equal(30, (c.output(sim, 0, 0))) -- between calls
    c.advance_often(sim, 2, 300)
    assert.near(13, ours.context.x, 1e-9)
    c.release(sim)
  end)

  it("is the `sim` of a scenario's result too", function()
    local run = saltus.scenario { system = twins.oscillator():with { torque = 0 }, duration = 1 }:prepare()
    local sim = assert(c.lend(run))
    assert.equal(sim, c.lend(run.sim))
    assert.equal(0, (c.advance(sim, 1)))
    assert.equal(1, run.sim.context.time)
    c.release(sim)
    c.release(sim)
  end)

  it("is none of another value, and the trouble says what it is", function()
    local function refused(pattern, value)
      local sim, why = c.lend(value)
      assert.is_nil(sim)
      assert.matches(pattern, why)
    end
    refused("expected a simulator, got 7", 7)
    refused("expected a simulator, got nil", nil)
    refused("expected a simulator, got a table", {})
    refused("saltus.simulator%(system%) makes one", twins.oscillator())
    refused("saltus.simulator%(diagram%) makes one", saltus.diagram "d")
    refused("scenario:prepare%(%) makes one", saltus.scenario { system = twins.oscillator(), duration = 1 })
    local told = saltus.simulator(twins.oscillator():with { torque = 0 })
    saltus.stories(told)
    refused('the simulator of "oscillator" has stories', told)
  end)

  it("gets no stories while it is lent", function()
    local ours = saltus.simulator(twins.oscillator():with { torque = 0 })
    local sim = assert(c.lend(ours))
    assert.error_matches(function() saltus.stories(ours) end, "the simulator is lent to a program in C")
    c.release(sim)
    saltus.stories(ours)
  end)

  it("lives until the last loan ends, though nothing in Lua refers to it", function()
    local weak = setmetatable({}, { __mode = "k" })
    local function lend()
      local ours = saltus.simulator(loop(c.oscillator(), twins.servo()))
      weak[ours], weak[ours.core] = true, true
      c.lend(ours)
      return c.lend(ours)
    end
    local sim = lend()
    collect()
    assert.is_truthy(next(weak))
    assert.equal(0, (c.advance(sim, 1)))
    assert.equal(0, (c.release(sim)))
    collect()
    assert.equal(0, (c.advance(sim, 2)))
    assert.equal(0, (c.release(sim)))
    collect()
    assert.is_nil(next(weak))
    local code, why = c.release(sim)
    assert.equal(status.EINVAL, code)
    assert.matches("this Lua state has not lent that simulator", why)
  end)
end)

describe("a closure that fails in a call of C", function()
  local function report_of(fields)
    fields.name = "plant"
    local d = saltus.diagram "d"
    d:add(saltus.system(fields), "motor")
    local ours = saltus.simulator(d)
    local sim = assert(c.lend(ours))
    local code, time, text, part, event = c.advance(sim, 1)
    local again, _, text_again = c.advance(sim, 1)
    c.release(sim)
    assert.equal(code, again) -- and again, with the same words
    assert.equal(text, text_again)
    return { code = code, time = time, text = text, part = part, event = event, sim = ours }
  end

  local function line() return debug.getinfo(2, "l").currentline end

  it("is in the report with its name, file and line", function()
    local at = line() + 2
    local report = report_of { z = { x = 0 }, derivatives = function(ctx, dot)
      dot.x = ctx.time > 0.5 and ctx.missing.field or 1
    end }
    assert.equal(status.ECALLBACK, report.code)
    assert.matches(('^derivatives of motor: .*loans_spec.lua:%d: '):format(at), report.text)
    assert.equal(0, report.part)
  end)

  it("is so for handlers, witnesses, outputs and the monitor", function()
    local at = line() + 2
    local report = report_of { discrete = { n = 0 }, events = { { name = "tick", every = 0.25, offset = 0.5,
      discrete_update = function() error "no fuel" end } } }
    assert.equal(status.EHANDLER, report.code)
    assert.matches(('^tick of motor: .*loans_spec.lua:%d: no fuel$'):format(at), report.text)
    assert.equal(0, report.event)

    report = report_of { z = { x = 0 }, derivatives = function(_, dot) dot.x = 1 end, events = { { name = "top",
      witness = function(ctx) return ctx.x > 0.5 and error "blind" or ctx.x - 0.6 end, publish = function() end } } }
    assert.matches("^witness of top of motor: .*blind$", report.text)

    report = report_of { z = { x = 0 }, outputs = { y = function(ctx) return ctx.x > 0.5 and error "broken" or 1 end },
      derivatives = function(ctx, dot) dot.x = ctx.y end }
    assert.matches("^derivatives of motor: .*broken$", report.text)

    local ours = saltus.simulator(twins.oscillator():with { torque = 0 })
    ours.monitor = function(ctx) if ctx.time > 0.3 then error "seen enough" end end
    local sim = assert(c.lend(ours))
    local code, _, text = c.advance(sim, 1)
    assert.equal(status.EHANDLER, code)
    assert.matches("^the monitor: .*loans_spec.lua:%d+: seen enough$", text)
    ours.monitor = nil
    assert.equal(0, (c.advance(sim, 1))) -- what failed is forgotten
    c.release(sim)
  end)

  it("says so of a value that is not a number, and of an error that is not a text", function()
    assert.matches("^derivatives of motor: .*loans_spec.lua:%d+: .*sets \"x\" to \"fast\"; it must be a number",
      report_of({ z = { x = 0 }, derivatives = function(_, dot) dot.x = "fast" end }).text)
    assert.equal("derivatives of motor: an error object that is not a text",
      report_of({ z = { x = 0 }, derivatives = function() error {} end }).text)
  end)

  it("keeps the note of saltus.fail", function()
    local report = report_of { discrete = { n = 0 }, events = { { name = "tick", every = 0.25, offset = 0.5,
      discrete_update = function() return saltus.fail "out of range" end } } }
    assert.equal("out of range", report.text)
  end)

  it("is under the hooks of the state's main thread", function()
    assert.is_true(select(2, coroutine.running()))
    local ours = saltus.simulator(saltus.system { name = "s", z = { x = 0 }, derivatives = function(ctx, dot)
      while ctx.time > 0.5 do dot.x = 0 end
      dot.x = 1
    end })
    local sim = assert(c.lend(ours))
    c.limit(1000000)
    local code, _, text = c.advance(sim, 1)
    c.limit(0)
    assert.equal(status.ECALLBACK, code)
    assert.matches("long enough$", text)
    c.release(sim)
  end)

  -- A simulator whose derivatives, of that code, run as a program.
  local function compiled(code)
    local rates = load(("return function(ctx, dot) %s end"):format(code))()
    local ours = saltus.simulator(saltus.system { name = "s", z = { x = 0 }, derivatives = rates },
      { integrator = "runge_kutta4", max_step = 0.01, fixed_step = true })
    ours:advance_to(1)
    assert.equal("program", ours:programs()[1].state)
    return ours
  end

  it("is under a hook and a budget from the first evaluation on, as programs are", function()
    local sim = assert(c.lend(compiled("dot.x = 0" .. (" + ctx.x"):rep(100))))
    for second = 2, 5 do
      c.advance(sim, second)
      c.limit(1000)
      assert.equal(status.ECALLBACK, (c.advance(sim, second + 0.1)))
      c.limit(0)
      c.advance(sim, second + 0.5)
      c.budget(1000000)
      c.advance(sim, second + 0.6)
      assert.is_true(1000000 - c.budget(0) > 40 * 50) -- of so many instructions
    end
    c.release(sim)
  end)

  it("pays no more for a program that runs beside its closure", function()
    local seldom = ("x = x % 3.5 "):rep(1900)
    local sim = assert(c.lend(compiled("local x = ctx.x if x > 1 then " .. seldom .. "end dot.x = x")))
    local least, most = math.huge, 0
    for k = 1, 40 do -- 1600 runs, two of them beside the closure
      c.budget(1000000)
      c.advance(sim, 1 + k / 10)
      local spent = 1000000 - c.budget(0)
      least, most = math.min(least, spent), math.max(most, spent)
    end
    assert.is_true(least > 40 * 1900)
    assert.is_true(most - least < 1800, most - least) -- of a program of 1900 instructions
    c.release(sim)
  end)

  it("is raised as ever by an advance in Lua", function()
    local report = report_of { z = { x = 0 }, derivatives = function(ctx, dot)
      dot.x = ctx.time > 0.5 and error "stop" or 1
    end }
    assert.error_matches(function() report.sim:advance_to(1) end, "stop %(in derivatives of motor")
  end)
end)

describe("calls from callbacks", function()
  -- A simulator whose closure calls `act` once, after t = 0.5.
  local function acting(act)
    local done = false
    local system = saltus.system { name = "s", z = { x = 0 }, derivatives = function(ctx, dot)
      if ctx.time > 0.5 and not done then
        done = true
        act()
      end
      dot.x = 1
    end }
    local ours = saltus.simulator(system)
    return ours, assert(c.lend(ours))
  end

  it("cannot advance the run, from either language", function()
    local said, ours, sim
    ours, sim = acting(function()
      said = { code = c.advance(sim, 2), lua = select(2, pcall(ours.advance_to, ours, 2)),
        write = select(2, pcall(function() ours.context.x = 7 end)), release = c.release(sim) }
    end)
    assert.equal(0, (c.advance(sim, 1)))
    assert.equal(status.ESTATE, said.code)
    assert.matches("already advancing", said.lua)
    assert.matches("can be written between calls only", said.write)
    assert.equal(status.ESTATE, said.release)
    assert.near(1, ours.context.x, 1e-12)
    c.release(sim)
  end)

  it("may lend, load, push, and run other simulators", function()
    local x, other, energy, ours, sim
    ours, sim = acting(function()
      other = saltus.simulator(loop(c.oscillator(), twins.servo()), { seed = 3 })
      local inner = assert(c.lend(other))
      assert(c.advance(inner, 1) == 0)
      energy = c.output(inner, 0, 0)
      c.release(inner)
      x = ours.context.x
    end)
    assert.equal(0, (c.advance(sim, 1)))
    assert.equal(1, other.context.time)
    assert.near(other.context["plant.energy"], energy, 0)
    assert.is_true(x > 0.4)
    c.release(sim)
  end)

  it("may read what is lent while Lua runs it", function()
    local ours, sim, code
    ours, sim = acting(function() code = c.advance(sim, 3) end)
    ours:advance_to(1)
    assert.equal(status.ESTATE, code)
    assert.equal(0, (c.advance(sim, 2)))
    c.release(sim)
  end)

  it("are refused in an output that C reads between calls", function()
    local ours, sim, said, code
    local system = saltus.system { name = "s", z = { x = 0 }, derivatives = function(_, dot) dot.x = 1 end,
      outputs = { y = function(ctx)
        said, code = select(2, pcall(ours.advance_to, ours, 2)), c.advance(sim, 2)
        return ctx.x
      end } }
    ours = saltus.simulator(system)
    sim = assert(c.lend(ours))
    assert.equal(0, (c.output(sim, 0, 0)))
    assert.matches("already advancing", said)
    assert.equal(status.ESTATE, code)
    assert.equal(0, (c.advance(sim, 1)))
    code = nil
    assert.near(1, ours.context.y, 1e-12) -- read by Lua
    assert.equal(status.ESTATE, code)
    assert.equal(0, (c.advance(sim, 1.5)))
    c.release(sim)
  end)

  it("cannot lend for the first time a simulator that runs", function()
    local ours, pointer, why
    local system = saltus.system { name = "s", z = { x = 0 }, derivatives = function(_, dot)
      pointer, why = c.lend(ours)
      dot.x = 1
    end }
    ours = saltus.simulator(system)
    ours:advance_to(1)
    assert.is_nil(pointer)
    assert.matches("between its calls only", why)
  end)

  it("cannot yield out of a call of C", function()
    local ours = saltus.simulator(saltus.system { name = "s", z = { x = 0 },
      derivatives = function(_, dot) dot.x = coroutine.yield() end })
    local sim = assert(c.lend(ours))
    local code, text
    coroutine.wrap(function() code, _, text = c.advance(sim, 1) end)() -- luacheck: ignore
    assert.equal(status.ECALLBACK, code)
    assert.matches("attempt to yield", text)
    c.release(sim)
  end)

  it("go on after the coroutine that lent it is gone", function()
    local ours = saltus.simulator(twins.oscillator():with { torque = 0 })
    local sim
    coroutine.wrap(function() sim = c.lend(ours) end)()
    collect()
    assert.equal(0, (c.advance(sim, 1)))
    c.release(sim)
  end)
end)
