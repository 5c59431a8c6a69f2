-- Long runs of src/engine/delay/delay_test.c: 1e5 time units of Mackey and Glass's equation, 1e6 steps with a delay of
-- a thousandth of the step. The recorded past is not longer than the delay.
local saltus = require "saltus"

local build = os.getenv "SALTUS_BUILD" or "build"

describe("a long run with a delay", function()
  it("records only a few points", function()
    local built = io.open(build .. "/test/delay_test")
    if not built then return pending "the C tests are not built here" end
    built:close()
    local pipe = assert(io.popen("STRESS=1 " .. build .. "/test/delay_test"))
    local text = pipe:read "a"
    assert.is_true(pipe:close(), text)
    local glass = tonumber(text:match "Mackey%-Glass to t = 100000: %d+ steps, at most (%d+) points kept")
    local short = tonumber(text:match "a delay of 0.001 steps, 100000%d steps: at most (%d+) points kept")
    assert.is_true(glass < 60 and short <= 8, text)
  end)
end)

-- Random equations of six kinds (two constant lags; one that varies with time, with the state; one that grows for ever;
-- a delayed derivative; a delayed output and a delayed mode), kicked by a clock. No closed form: two methods that
-- have nothing in common but the past must agree.
describe("random equations with delays", function()
  local random = require "spec.support.random"

  local function rate_of(kind, k)
    local a, b, c, w = k(-2, 0), k(-1.5, 1.5), k(-0.8, 0.8), k(0.5, 3)
    local l1, l2 = k(0.02, 2), k(0.05, 3)
    return ({
      function(ctx) return a * ctx.x + b * ctx.past.x(l1) + c * ctx.past.x(l2) end,
      function(ctx) return a * ctx.x + b * ctx.past.x(l1 * (1.01 + math.sin(w * ctx.time))) end,
      function(ctx) return a * ctx.x + b * ctx.past.x(l1 + l2 * ctx.x ^ 2 / (1 + ctx.x ^ 2)) end,
      function(ctx) return a * ctx.x + b * ctx.past.x:at(0.7 * ctx.time) end,
      function(ctx) return a * ctx.x + c * ctx.past_rate.x(l1) + b * ctx.past.x(l2) end,
      function(ctx) return a * ctx.x + b * ctx.past.bent(l1) + c * ctx.past.n(l2) end,
    })[kind]
  end

  it("have the same solution with two methods", function()
    local generator = random.new(7)
    local function k(low, high) return low + (high - low) * generator:real() end
    local most = os.getenv "BENCH" == "long" and 3000 or os.getenv "STRESS" and 300 or 36
    for trial = 1, os.getenv "SALTUS_GC" == "stress" and 6 or most do
      local kind = trial % 6 + 1
      local rate, period, kicks = rate_of(kind, k), k(0.3, 1.5), trial % 4 < 2
      local system = saltus.system { name = "random", z = { { "x", 1 } }, discrete = { { "n", 0 } },
        past = { x = 10, bent = 10, n = 10 }, history = { x = math.cos, n = 0.3 },
        outputs = { bent = function(ctx) return ctx.x ^ 2 / (1 + ctx.x ^ 2) - ctx.n / 10 end },
        derivatives = function(ctx, dot) dot.x = rate(ctx) end,
        events = { { name = "kick", every = period, offset = period,
          unrestricted_update = function(ctx, next)
            next.n = ctx.n + 1
            if kicks then next.x = ctx.x / 2 end
          end } } }
      local function at_end(options)
        local sim = saltus.simulator(system, options)
        sim:advance_to(7)
        return sim.context.x
      end
      local fine = at_end { accuracy = 1e-11, integrator = "dormand_prince8" }
      assert.near(fine, at_end { accuracy = 1e-7 }, 1e-5 * math.max(1, math.abs(fine)), "trial " .. trial)
    end
  end)
end)
