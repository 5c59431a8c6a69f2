-- Mirrors lua/saltus/cli/commands/diff.lua and saved_file.lua: the first thing in which two saves differ.
local command = require "spec.support.command"
local saltus = require "saltus"

-- Two tanks, a mode, a noisy tick, abstract state and a past.
local farm = [[
local saltus = require "saltus"
local tank = saltus.system { name = "tank", z = { { "level", { 1, 2 } } }, params = { { "flow", 0.5 } },
  discrete = { { "pump", "off", values = { "off", "on" } } }, abstract = { visits = {} }, past = { level = 1 },
  derivatives = function(ctx, dot) dot.level = { ctx.flow, 0 } end,
  events = {
    { name = "tick", every = 1, unrestricted_update = function(_, next) next.level = { next.random(), 0 } end },
    { name = "poke", at = "demand", unrestricted_update = function() end } } }
local farm = saltus.diagram "farm"
farm:add(tank, "left")
farm:add(tank, "right")
return saltus.scenario { system = farm, duration = 10 }
]]

local at, model

-- A save of the model after `change` of its simulator.
local function saved(name, change)
  local sim = model:prepare { log = false }.sim
  sim:advance_to(1.5)
  change(sim)
  return at:write(name, sim:save())
end

setup(function()
  at = command.new()
  model = dofile(at:write("farm.lua", farm))
end)

teardown(function() at:remove() end)

describe("saltus diff", function()
  local function says(status, words, a, b, ...)
    local got, out, err = at:saltus("diff", a, b, ...)
    assert.same({ status, words .. "\n", "" }, { got, out, err })
  end

  it("names the first number that differs, with both values", function()
    local file = at:path "farm.lua"
    local a = saved("a.sav", function() end)
    local same = saved("same.sav", function() end)
    local value = saved("value.sav", function(sim)
      sim.context.right.flow = 0.25
      sim.context.right.level = { sim.context.right.level[1], 3 }
    end)
    local mode = saved("mode.sav", function(sim) sim.context.left.pump = "on" end)
    local later = saved("later.sav", function(sim) sim:advance_to(1.75) end)
    local list = saved("list.sav", function(sim) sim.context.left.visits = { 1 } end)
    local waiting = saved("waiting.sav", function(sim) sim:schedule(5, "left.poke") end)
    says(0, a .. " and " .. same .. " are the same point of the same run", a, same, "--model", file)
    says(1, '"right.level[2]" is 0 in the first, 3 in the second', a, value, "--model", file)
    says(1, '"left.pump" is off in the first, on in the second', a, mode, "--model", file)
    says(1, "the time is 1.5 in the first, 1.75 in the second", a, later, "--model", file)
    says(1, 'the abstract state "left.visits" differs', a, list, "--model", file)
    says(1, "all numbers and abstract states are the same; timers, the step size or what events remember differ", a,
      waiting, "--model", file)
  end)

  it("reads checkpoints, which name their scenario and its changes", function()
    local function checkpoint(name, flow)
      local status = at:saltus("run", at:path "farm.lua", "-q", "--set", "left.flow=" .. flow, "--integrator",
        "runge_kutta3", "--max-step", "0.01", "--checkpoint-every", "3", "--checkpoint", at:path(name))
      assert.equal(0, status)
      return at:path(name)
    end
    local a, b = checkpoint("a.checkpoint", "1"), checkpoint("b.checkpoint", "1")
    says(0, a .. " and " .. b .. " are the same point of the same run", a, b)
    local status, out = at:saltus("diff", a, checkpoint("c.checkpoint", "2"))
    assert.equal(1, status)
    assert.matches('^"left.level%[1%]" is %S+ in the first, %S+ in the second\n$', out)
  end)

  it("says which file is no save of the model", function()
    local a = saved("a.sav", function() end)
    local other = at:write("other.lua", [[local saltus = require "saltus"
      return saltus.system { name = "other", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end }]])
    local system = saltus.simulator(dofile(other))
    local plain = at:write("plain.sav", system:save())
    says(0, plain .. " and " .. plain .. " are the same point of the same run", plain, plain, "--model", other)
    at:fails(1, "a%.sav does not say of which model it is; give %-%-model FILE", "diff", a, a)
    at:fails(1, 'plain%.sav is no save of "farm", which may have changed since, or the file is damaged', "diff", a,
      plain, "--model", at:path "farm.lua")
    at:fails(1, "diff: .*none%.sav", "diff", at:path "none.sav", a, "--model", other)
    at:write("cut.checkpoint", "saltus checkpoint 3\nabc")
    at:fails(1, "cut%.checkpoint is not a checkpoint, or it is damaged", "diff", at:path "cut.checkpoint", a)
    at:write("old.checkpoint", "saltus checkpoint 2\nabc")
    at:fails(1, "old%.checkpoint is a checkpoint of another version of saltus; run the scenario anew", "diff",
      at:path "old.checkpoint", a)
  end)
end)

describe("sim:difference", function()
  it("is nil where the hashes are the same, and a sentence where not", function()
    local one, other = model:prepare { log = false }.sim, model:prepare { log = false }.sim
    assert.is_nil(one:difference(other))
    other.context.left.flow = 4
    assert.equal('"left.flow" is 0.5 in the first, 4 in the second', one:difference(other))
    assert.error_matches(function() one:difference(3) end, "difference takes another simulator of the same system")
  end)
end)
