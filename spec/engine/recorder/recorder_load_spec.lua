-- Mirrors forget_after in src/engine/recorder/recorder.c: rows and events of the instant at which a run was saved.
local saltus = require "saltus"

describe("after load, a log has the rows and events up to the save:", function()
  local function up(ctx, next) next.n = ctx.n + 1 end
  local function reached(ctx) return ctx.n >= 3 end
  local models = {
    ["a tick"] = { { name = "tick", every = 1, discrete_update = up } },
    ["a tick beside a publish"] = { { name = "tick", every = 1, discrete_update = up },
      { name = "look", every = 1, publish = function() end } },
    ["rounds"] = { { name = "tick", every = 1, discrete_update = up },
      { name = "seen", becomes = reached, publish = function() end },
      { name = "counted", becomes = reached, discrete_update = up } },
    ["each step"] = { { name = "step", at = "step", discrete_update = up },
      { name = "look", at = "step", publish = function() end } },
    ["a crossing"] = { { name = "cross", witness = function(ctx) return ctx.x - 2 end, discrete_update = up } },
  }
  local function list(log)
    local all = {}
    for i, event in ipairs(log.events) do all[i] = ("%s %.17g"):format(event.name, event.time) end
    for i, time in ipairs(log.time) do all[#all + 1] = ("row %.17g %g"):format(time, log.n[i]) end
    return all
  end

  for what, events in pairs(models) do
    for _, start in ipairs { 0, -3, 1.7e9 } do
      for _, pending in ipairs { 0, 1, 2 } do
        it(("%s, from %g, after the updates %d times"):format(what, start, pending), function()
          local sim = saltus.simulator(saltus.system { name = "s", z = { "x" }, discrete = { "n" },
            derivatives = function(_, dot) dot.x = 1 end, events = events }, { start_time = start })
          local log = saltus.log(sim)
          sim:advance_to(start + 2)
          for _ = 1, pending do sim:advance_pending_events() end
          local saved, then_listed = sim:save(), list(log)
          sim:advance_to(start + 4)
          local finally_listed = list(log)
          sim:load(saved)
          assert.same(then_listed, list(log))
          sim:advance_to(start + 4)
          assert.same(finally_listed, list(log))
        end)
      end
    end
  end

  it("samples from the loaded time on, whether the log was made before the load or after it", function()
    local system = saltus.system { name = "s", z = { "x" }, discrete = { "n" },
      derivatives = function(_, dot) dot.x = 1 end, events = models["a tick"] }
    for _, time in ipairs { 2, 2.25 } do
      for _, every in ipairs { 0.5, false } do
        local options = { "n", every = every or nil }
        local saver = saltus.simulator(system)
        saver:advance_to(time)
        local before, after = saltus.simulator(system), saltus.simulator(system)
        local early = saltus.log(before, options)
        before:load(saver:save())
        after:load(saver:save())
        local late = saltus.log(after, options)
        before:advance_to(3)
        after:advance_to(3)
        assert.equal(every and math.ceil(time / every) * every or time, early.time[1])
        assert.same(list(late), list(early))
      end
    end
  end)

  it("blocks that follow a write, which came before the save", function()
    local d = saltus.diagram "d"
    d:add(saltus.blocks.saturation { lower = -1, upper = 1 }, "limit")
    d:add(saltus.system { name = "s", inputs = { "u" }, discrete = { "n" }, events = {
      { name = "over", becomes = function(ctx) return ctx.u > 0.5 end, discrete_update = up } } })
    d:connect("limit", "s")
    local sim = saltus.simulator(d)
    sim.context.limit.input = 0
    local log = saltus.log(sim, { n = function(ctx) return ctx.s.n end })
    sim:advance_to(1)
    sim.context.limit.input = 7
    local saved, then_listed = sim:save(), list(log)
    sim:advance_to(2)
    local finally_listed = list(log)
    assert.equal(#then_listed + 5, #finally_listed) -- two events, two sides of the jump, the end
    sim:load(saved)
    assert.same(then_listed, list(log))
    sim:advance_to(2)
    assert.same(finally_listed, list(log))
  end)
end)
