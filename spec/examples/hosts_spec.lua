-- The programs in C of examples/hosts.
local examples = require "spec.support.examples"

local slurp = require "spec.support.slurp"
local output_of, build = examples.output_of, examples.build

describe("examples/hosts", function()
  it("robot_loop brings the arm to its target", function()
    local text, ok = output_of(build .. "/examples/robot_loop")
    assert.is_true(ok)
    assert.matches("^0.0 s  angle 0.0000\n", text)
    assert.near(1.2, tonumber(text:match "2.0 s  angle (%S+)\n$"), 1e-3)
  end)

  it("scripted_arm brings the arm to its target by a controller in Lua", function()
    local text, ok = output_of(build .. "/examples/scripted_arm")
    assert.is_true(ok)
    assert.matches("^0.0 s  angle 0.0000\n", text)
    assert.near(1.2, tonumber(text:match "2.0 s  angle (%S+)\n$"), 1e-3)
  end)

  it("scripted_arm says where a script fails: its name, file and line", function()
    local script = slurp "examples/hosts/scripts/arm.lua"
    local path = os.tmpname()
    local function said(from, to)
      local changed, count = script:gsub(from, to)
      assert.equal(1, count)
      local file = assert(io.open(path, "w"))
      file:write(changed)
      file:close()
      local text, ok = output_of(build .. "/examples/scripted_arm " .. path)
      assert.is_nil(ok)
      return text
    end
    local line = select(2, script:match("^(.-)next.torque ="):gsub("\n", "")) + 1
    assert.matches(("at 0.000 s: control of controller: %s:%d: unknown name \"missing\""):format(path, line),
      said("ctx.target %- ctx.angle", "ctx.target - ctx.missing.angle"))
    assert.matches(path .. ":%d+: .-did you mean \"angle\"", said('"arm.angle"', '"arm.angel"'))
    assert.matches(path .. ":%d+: unexpected symbol", said("return saltus.simulator", "return return"))
    assert.matches("expected a simulator, got a diagram; saltus.simulator%(diagram%) makes one",
      said("return saltus.simulator", "return "))
    os.remove(path)
  end)

  it("game_loop draws sixty frames a second until the ball rests", function()
    local text, ok = output_of(build .. "/examples/game_loop")
    assert.is_true(ok)
    assert.equal("at rest", text:match "\n(at rest) after %d+ touches\n$")
    local half_way = tonumber(text:match "\n 24 |( *)o\n" and #text:match "\n 24 |( *)o\n")
    assert.equal(math.floor(60 * (1 - 9.81 * 0.4 ^ 2 / 2)), half_way)
  end)

  it("lag_compensation rewinds the target to what the shooter saw", function()
    local text, ok = output_of(build .. "/examples/lag_compensation")
    assert.is_true(ok)
    local shots = 0
    for latency, moved, off in text:gmatch "a shot of (%d+) ms ago: the target was (%S+) m .- within (%S+) m" do
      assert.near(20 * math.sin(math.pi / 4 * latency / 1000), tonumber(moved), 0.006) -- a chord of the circle
      assert.near(0, tonumber(off), 1e-3)
      shots = shots + 1
    end
    assert.equal(2, shots)
    assert.matches("a shot of 1500 ms ago: too late", text)
    assert.matches("before the teleport: %(%-10.00, 0.02%)\nat the teleport: %(0.00, 0.00%); %d+ points", text)
  end)

  it("pilot_loop closes the switch between two samples, and continues after an interrupt", function()
    local text, ok = output_of(build .. "/examples/pilot_loop")
    assert.is_true(ok)
    assert.matches("^frame 7 was interrupted; %d+%.%d ms wait for the next one\n", text)
    local at, roll, t = text:match "the switch closed at (%S+) s; roll (%S+) at (%S+) s"
    assert.is_true(math.abs(at - 1 / 60 * math.floor(at * 60 + 0.5)) > 1e-4) -- not at a frame
    assert.near(5 / 60 + (0.16 - 5 / 60) * 3 / 7, tonumber(at), 1e-8) -- from 0.2 to 0.9 since frame 5
    assert.is_true(tonumber(roll) > 0.1 and tonumber(t) > 0.39)
  end)
end)
