-- The first five examples say what they should: printed lines and closed forms.
local examples = require "spec.support.examples"

local run, output_of, build = examples.run, examples.output_of, examples.build

describe("examples/01-difference-equation", function()
  local lines = "0: 0 (0)\n1: 10 (0.02)\n2: 20 (0.04)\n3: 30 (0.06)\n"

  it("prints its four lines from the command", function()
    local text, ok = output_of(build .. "/bin/saltus run -q examples/01-difference-equation.lua")
    assert.equal(lines, text)
    assert.is_true(ok)
  end)

  it("prints them first under plain Lua", function()
    local lua = os.getenv "LUA" or "lua5.4"
    local env = ('LUA_PATH="./lua/?.lua;./lua/?/init.lua;;" LUA_CPATH="./%s/lua/?.so;;"'):format(build)
    local text, ok = output_of(env .. " " .. lua .. " examples/01-difference-equation.lua")
    assert.equal(lines, text:sub(1, #lines))
    assert.is_true(ok)
  end)

  it("logs y as it was before each update", function()
    local log = run("01-difference-equation").log
    assert.same({ 0, 10, 20, 30 }, { table.unpack(log.y, 1, #log.y) })
    for k = 0, 3 do assert.equal(k / 50, log.time[k + 1]) end
  end)
end)

describe("examples/02-bouncing-ball", function()
  local first, e = math.sqrt(2 / 9.81), 0.8
  local limit = first * (1 + 2 * e / (1 - e))
  local function touch_time(n) return first * (1 + 2 * e * (1 - e ^ (n - 1)) / (1 - e)) end

  for _, changes in ipairs { {}, { integrator = "runge_kutta3", accuracy = 1e-4 } } do
    describe(changes.integrator or "by default", function()
      it("touches at the closed form's times", function()
        local times = run("02-bouncing-ball", changes).log:times "touch"
        assert.is_true(#times >= 20)
        for n = 1, 20 do assert.near(touch_time(n), times[n], 1e-9) end
        local last, gap = times[#times], times[#times] - times[#times - 1]
        assert.near(limit, last + gap * e / (1 - e), 1e-6)
      end)

      it("comes to rest and stays above the floor", function()
        local result = run("02-bouncing-ball", changes)
        assert.equal("resting", result.context.mode)
        assert.equal(0, result.context.height)
        local window = 0.01 * (changes.accuracy or 1e-6)
        for _, height in ipairs(result.log.height) do assert.is_true(height >= -window * math.sqrt(2 * 9.81)) end
      end)
    end)
  end

  it("stays where it lands when a touch keeps no speed", function()
    local result = run("02-bouncing-ball", { set = { restitution = 0 } })
    assert.same({ "resting", 0, 0 }, { result.context.mode, result.context.height, result.context.speed })
    assert.equal(1, #result.log:times "touch")
    for _, restitution in ipairs { 1e-12, 1e-3 } do
      result = run("02-bouncing-ball", { set = { restitution = restitution } })
      assert.same({ "resting", 0 }, { result.context.mode, result.context.height })
    end
  end)

  it("takes another restitution from outside", function()
    local times = run("02-bouncing-ball", { set = { restitution = 0.5 } }).log:times "touch"
    assert.near(first * 2, times[2], 1e-9)
  end)
end)

describe("examples/03-thermostat", function()
  it("switches at the exponentials' times", function()
    local warm = run("03-thermostat").log:times "warm"
    local first = 2 * math.log((35 - 16) / (35 - 21))
    local cycle = 2 * math.log((21 - 5) / (19 - 5)) + 2 * math.log((35 - 19) / (35 - 21))
    assert.equal(11, #warm)
    for k = 1, #warm do assert.near(first + (k - 1) * cycle, warm[k], 1e-5) end
  end)
end)

describe("examples/04-van-der-pol", function()
  it("settles on the cycle of the known period", function()
    local result, said = run "04-van-der-pol"
    local up = result.log:times "up"
    assert.equal(6, #up)
    assert.equal(#up, #said)
    assert.near(6.66328685932313, up[6] - up[5], 2e-6)
  end)
end)

describe("examples/05-lorenz", function()
  it("is where two long-double solvers agree to be, at t = 10", function()
    local context = run("05-lorenz").context
    assert.near(-4.9026875411346458873, context.x, 1e-5)
    assert.near(-3.7438729218029190092, context.y, 1e-5)
    assert.near(24.690858102790556745, context.z, 1e-5)
  end)
end)
