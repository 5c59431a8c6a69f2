-- The walker of examples/hosts/mujoco_walker: MuJoCo moves it, Saltus controls it.
local hosts = require "spec.support.hosts"
local output_of = require("spec.support.examples").output_of
local slurp = require "spec.support.slurp"

local missing = hosts.missing "mujoco_walker"

describe("mujoco_walker", function()
  if missing then
    it("walks", function() pending(missing .. " is not installed") end)
    return
  end

  local folder
  setup(function() folder = hosts.build "mujoco_walker" end)

  local function walk(words)
    local text, ok = output_of(folder .. "/mujoco_walker " .. words)
    assert.is_true(ok, text)
    return text
  end

  local function steps_and_way(text)
    local steps, way = text:match "\nwalked: (%d+) steps, (%S+) m in [%d.]+ s, drives on\n$"
    return tonumber(steps), tonumber(way)
  end

  it("walks with a dead time of 5 ms", function()
    local steps, way = steps_and_way(walk "seconds=20")
    assert.near(20 / 0.33, steps, 4) -- a leg lifts for 0.3 s, then reaches for some 0.03 s
    assert.near(steps, way / 0.35, 6) -- by 0.35 m a step
  end)

  it("commands the drives as it wanted to 5 ms ago", function()
    local path = folder .. "/trace.csv"
    walk("seconds=2 trace=" .. path)
    local wanted, compared, largest = {}, 0, 0
    for time, before, after in slurp(path):gmatch "(%S+),(%S+),(%S+)\n" do
      local k = math.floor(1000 * time + 0.5)
      wanted[k] = tonumber(before)
      -- the first lift ends at 0.3 s, exactly at a sample, which has the torque before that update
      if k - 5 > 300 then
        assert.near(wanted[k - 5], tonumber(after), 1e-6, time)
        compared, largest = compared + 1, math.max(largest, math.abs(wanted[k]))
      end
    end
    assert.equal(2000 - 305, compared)
    assert.is_true(largest > 100) -- N m: the torque is not just 0
  end)

  it("recovers from a push of 300 N for 0.1 s, which moves it", function()
    local pushed, not_pushed = walk "seconds=8 push=300", walk "seconds=8"
    assert.is_truthy(steps_and_way(pushed))
    assert.not_equal(pushed, not_pushed)
  end)

  it("falls with a dead time of 30 ms, and is stopped between two samples, where it crosses the height", function()
    local text = walk "seconds=20 dead_time=0.03"
    local at, t0, h0, t1, h1 =
      text:match "the walker fell at (%S+) s, between the samples at (%S+) s %((%S+) m%) and (%S+) s %((%S+) m%)"
    at, t0, h0, t1, h1 = tonumber(at), tonumber(t0), tonumber(h0), tonumber(t1), tonumber(h1)
    assert.near(0.001, t1 - t0, 1e-9)
    assert.is_true(h0 > 0.7 and h1 < 0.7)
    -- 1e-6 m in a height of 6 digits is 1e-6 s at 1 m/s; the time has 6 digits as well
    assert.near(t0 + (t1 - t0) * (h0 - 0.7) / (h0 - h1), at, 3e-6)
    assert.matches("\nstopped: %d+ steps, .* drives off\n$", text)
  end)

  it("walks the same way twice", function() assert.equal(walk "seconds=3", walk "seconds=3") end)

  it("draws the last seconds", function()
    local path = folder .. "/walk.svg"
    walk("seconds=2 picture=" .. path)
    local figures = select(2, slurp(path):gsub("<g opacity", ""))
    assert.equal(math.ceil(2 / 0.15), figures)
  end)

  it("refuses dead times that it cannot have, and words that it does not know", function()
    for word, says in pairs { ["dead_time=0.2"] = "dead_time is 0 to 0.1 s", ["pace=3"] = "pace=3 is not seconds=" } do
      local text, ok = output_of(folder .. "/mujoco_walker " .. word)
      assert.is_falsy(ok)
      assert.equal(says, text:sub(1, #says))
    end
  end)
end)
