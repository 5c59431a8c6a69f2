-- Long runs of src/engine/delays_test.c: 1e5 time units of Mackey and Glass's equation, 1e6 steps with a delay of a
-- thousandth of the step. What is kept of the past stays as short as the delay.
local build = os.getenv "SALTUS_BUILD" or "build"

describe("a long run with a delay", function()
  it("keeps a handful of points", function()
    local pipe = assert(io.popen("STRESS=1 " .. build .. "/test/delays_test"))
    local text = pipe:read "a"
    assert.is_true(pipe:close(), text)
    local glass = tonumber(text:match "Mackey%-Glass to t = 100000: %d+ steps, at most (%d+) points kept")
    local short = tonumber(text:match "a delay of 0.001 steps, 100000%d steps: at most (%d+) points kept")
    assert.is_true(glass < 60 and short <= 8, text)
  end)
end)
