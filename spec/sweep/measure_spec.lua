-- Mirrors lua/saltus/sweep/runner.lua: what a measure does, and what a run warns of, stays in that run.
local commands = require "spec.support.command"
local saltus = require "saltus"

local at

setup(function() at = commands.new() end)
teardown(function() at:remove() end)

describe("what measure does with result.sim", function()
  local wave = saltus.scenario { duration = 2, log = false, system = saltus.system { name = "wave", z = { { "x", 1 } },
    params = { k = 1 }, discrete = { n = 0 },
    derivatives = function(ctx, dot) dot.x = -ctx.k * (ctx.x - math.cos(ctx.time)) end,
    events = { { at = "demand", discrete_update = function(ctx, next) next.n = ctx.n + 1 end } } } }

  local actions = {
    set_integrator = function(sim) sim:set_integrator("runge_kutta4", { max_step = 0.1 }) end,
    configuration = function(sim) sim:configuration { max_step = 0.05 } end,
    monitor = function(sim) sim.monitor = function() return saltus.terminate "seen" end end,
    on_progress = function(sim) sim:on_progress(function() sim:interrupt() end) end,
    integrator = function(sim) sim.integrator:set_maximum_step_size(0.01) end,
    publish_every_step = function(sim) sim.publish_every_step = true end,
    set_context_accuracy = function(sim) sim:set_context_accuracy(0.1) end,
    interrupt = function(sim) sim:interrupt() end,
    log = function(sim) saltus.log(sim, { "x" }) end,
    write = function(sim) sim.context.k = 9 end,
    advance = function(sim) sim:advance_to(3) end,
  }

  for name, action in pairs(actions) do
    it("does not reach the next runs: " .. name, function()
      local seen = {}
      local function measure(r)
        seen[#seen + 1] = { r.sim:hash(), r.stats.steps, r.status.reason, r.sim:configuration(),
          rawget(r.sim, "integrator") ~= nil }
        if seen.act then action(r.sim) end
        return 1
      end
      local given = { scenario = wave, params = { k = { 300, 1, 300 } }, measure = measure }
      saltus.sweep(given)
      local alone = seen
      seen = { act = true }
      assert.equal(3, saltus.sweep(given).count)
      assert.same(alone, { table.unpack(seen) })
    end)
  end
end)

describe("the runs of a sweep", function()
  for what, monitor in pairs { ["without a monitor"] = false, ["with one"] = function() end } do
    it("share a simulator " .. what, function()
      local count, seen = 0, {}
      saltus.sweep { runs = 5, measure = function(r)
        if not seen[r.sim] then seen[r.sim], count = true, count + 1 end
        return 1
      end, scenario = saltus.scenario { duration = 1, monitor = monitor or nil, system = saltus.system { name = "s",
        z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = -ctx.x end } } }
      assert.equal(1, count)
    end)
  end
end)

describe("warnings of a sweep", function()
  local text = [[
local saltus = require "saltus"
return saltus.scenario { duration = 3, log = false, integrator = "tsitouras5", max_step = 0.5,
  measure = function(r) return { warnings = #r.sim.warnings, n = r.context.n } end,
  system = saltus.system { name = "w", z = { { "x", 0.001 } }, discrete = { n = 0 }, params = { w = 3 },
    derivatives = function(_, dot) dot.x = 1 end,
    events = { { name = "e", direction = "rising", witness = function(ctx) return math.sin(ctx.w * ctx.x) end,
      discrete_update = function(_, next) next.n = next.n + 1 end },
      { name = "zero", witness = function(ctx) return ctx.w < 1000 and 1 or 0.001 - ctx.x end,
        direction = "falling", discrete_update = function(_, next) next.n = 0 end } } } }
]]

  it("are those of each run alone, and measure sees them", function()
    local s = assert(load(text))()
    local result = saltus.sweep { scenario = s, params = { w = { 3000, 3, 3000 } } }
    for i, w in ipairs { 3000, 3, 3000 } do
      local alone = s:run { set = { w = w } }
      assert.same({ #alone.sim.warnings, alone.context.n }, { result.data.warnings[i], result.data.n[i] })
    end
    assert.matches("\n  2 runs warned; the first: ", tostring(result))
  end)

  it("name an upvalue that runs change", function()
    local function sweep(kind, runs)
      local n, unused = 0, 1
      local function count(_, next)
        n = n + unused
        if kind ~= "publish" then next.seen = n end
      end
      local s = saltus.scenario { duration = 1, log = false, system = saltus.system { name = "s",
        discrete = { seen = 0 }, events = { { name = "tick", every = 0.1, [kind] = count } } } }
      return tostring(saltus.sweep { scenario = s, runs = runs })
    end
    assert.matches('1 run warned; the first: .*tick.* of "s" %(spec/sweep/measure_spec.lua:%d+%) uses the upvalue "n", '
      .. "which a run changes", sweep("discrete_update", 3))
    assert.is_nil(sweep("discrete_update", 1):find "warned")
    assert.is_nil(sweep("publish", 3):find "warned")
    local ball = dofile "examples/02-bouncing-ball.lua"
    assert.is_nil(tostring(saltus.sweep { scenario = ball, runs = 3, duration = 1 }):find "warned")
  end)

  it("are reported with any number of processes", function()
    at:write("w.lua", text)
    local first
    for jobs = 1, 3 do
      local status, out = at:saltus("sweep", at.folder .. "/w.lua", "--grid", "w=3,3000,3001,3002,4", "-j",
        tostring(jobs))
      local line = out:match "[^\n]* warned; the first: [^\n]*"
      first = first or line
      assert.same({ 0, first }, { status, line })
    end
    assert.matches("^  3 runs warned; ", first)
  end)
end)
