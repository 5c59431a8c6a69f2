-- A log has both sides of what a host writes between two calls.
local saltus = require "saltus"

describe("what a host writes between two calls", function()
  local cart = saltus.system { name = "cart", z = { "x" }, inputs = { { "push", 0 } }, discrete = { "n" },
    derivatives = function(ctx, dot) dot.x = 1 + ctx.push end }

  local function write(sim) sim.context.x, sim.context.push, sim.context.n = 10, 2, 3 end

  local function rows(log)
    local all = {}
    for i, t in ipairs(log.time) do all[i] = ("%g: %g %g %g"):format(t, log.x[i], log.push[i], log.n[i]) end
    return all
  end

  local function start()
    local sim = saltus.simulator(cart, { max_step = 0.5, initial_step = 0.5 })
    return sim, saltus.log(sim, { "x", "push", "n" })
  end

  it("is a jump of the log", function()
    local sim, log = start()
    sim:advance_to(0.5)
    write(sim)
    sim:advance_to(1)
    assert.same({ "0: 0 0 0", "0.5: 0.5 0 0", "0.5: 10 2 3", "1: 11.5 2 3" }, rows(log))
    assert.same({ time = 0.75, x = 10.75, push = 2, n = 3 }, log:at(0.75))
    assert.is_true(saltus.formula.check(log, "always[0.6,0.9] (n == 3 and push > 1.9)").holds)
  end)

  it("is a jump of the pictures of a log with rows at an interval", function()
    local sim = saltus.simulator(cart)
    local log = saltus.log(sim, { "n", every = 1 })
    sim:advance_to(0.5)
    write(sim)
    sim:advance_to(2)
    local path = os.tmpname()
    os.remove(path)
    log:plot(path .. ".svg")
    local file <close> = assert(io.open(path .. ".svg"))
    local line = file:read("a"):match '<path class="line[^>]* d="M([^"]+)"'
    os.remove(path .. ".svg")
    local x, verticals = {}, {}
    for at in line:gmatch "([%d.]+) [%d.]+" do x[#x + 1] = tonumber(at) end
    for i = 2, #x do
      if x[i] == x[i - 1] then verticals[#verticals + 1] = (x[i] - x[1]) / (x[#x] - x[1]) end
    end
    assert.equal(3, #log.time)
    assert.near(0.25, verticals[1], 1e-3)
  end)

  it("is there once, also after a load of a save that was made before or after the write was seen", function()
    local sim, log = start()
    sim:advance_to(0.5)
    write(sim)
    local saved, before = sim:save(), rows(log)
    sim:advance_pending_events()
    local seen, between = sim:save(), rows(log)
    sim:advance_to(1)
    local all = rows(log)
    assert.equal(#before + 1, #between)
    for _, case in ipairs { { saved, before }, { seen, between }, { saved, before } } do
      sim:load(case[1])
      assert.same(case[2], rows(log))
      sim:advance_to(1)
      assert.same(all, rows(log))
    end
  end)
end)
