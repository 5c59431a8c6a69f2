-- Random closures run in Lua and as programs (lua/saltus/closure/compiler): to the same bits, and with the same errors.
local saltus = require "saltus"
local cases = require "spec.support.cases"
local both_ways = require "spec.support.both_ways"
local random = require "spec.support.random"
local write = require "spec.support.random_closures"

-- Parts of the same code, each with upvalues of its own; programs are shared among them.
local function chain(text)
  local define, diagram = assert(load(text, "=random")), saltus.diagram "chain"
  for k = 1, 2 do diagram:add(saltus.system(define()), "part" .. k) end
  diagram:connect("part1.o", "part2.a")
  return diagram
end

local steps = { integrator = "runge_kutta4", max_step = 0.01, fixed_step = true, isolation = false }

-- After an error a run continues from its state; it may raise the next error.
local function compare(plain, sim, text)
  for k = 1, 8 do
    local ok, told = both_ways.in_lua(plain.advance_to, plain, k * 0.2)
    local also_ok, also_told = pcall(sim.advance_to, sim, k * 0.2)
    assert.equal(ok, also_ok, text)
    if not ok then assert.equal(tostring(told), tostring(also_told), text) end
    assert.equal(plain:hash(), sim:hash(), text)
  end
end

describe("random closures", function()
  it("and their programs give the same bits", function()
    local r = random.new(20261121)
    local programs, closures = 0, 0
    local many = os.getenv "BENCH" == "long" and 1500 or os.getenv "STRESS" and 300 or 40
    for _ = 1, cases(many) do
      local text = write(r)
      local plain, sim = saltus.simulator(chain(text), steps), saltus.simulator(chain(text), steps)
      compare(plain, sim, text)
      for _, line in ipairs(sim:programs()) do
        assert.not_equal("its program gave other results", line.why, text)
        closures = closures + 1
        if line.state == "program" then programs = programs + 1 end
      end
    end
    assert.is_true(programs > 0.4 * closures, programs)
  end)
end)
