-- The game of examples/hosts/rollback_game, without a display.
local hosts = require "spec.support.hosts"
local output_of = require("spec.support.examples").output_of
local slurp = require "spec.support.slurp"

local missing = hosts.missing "rollback_game"

describe("rollback_game", function()
  if missing then
    it("plays over a network", function() pending(missing .. " is not installed") end)
    return
  end

  local folder
  setup(function() folder = hosts.build "rollback_game" end)

  local function play(words)
    local text, ok = output_of("SDL_VIDEODRIVER=dummy " .. folder .. "/rollback_game " .. words)
    assert.is_true(ok, text)
    return text
  end

  it("has one hash at both peers after each frame of ten minutes, and without a network", function()
    local text = play "match 36000"
    assert.matches("the same hash after each of 36000 frames\n", text)
    local packets, lost = text:match "(%d+) packets, (%d+) lost"
    assert.near(0.2, lost / packets, 0.01) -- six standard deviations of 72,000 packets
    for rollbacks, deepest in text:gmatch ": (%d+) rollbacks, deepest (%d+)" do
      assert.is_true(tonumber(rollbacks) > 1000)
      assert.equal(8, tonumber(deepest))
    end
    local last, without = text:match "last +(%x+)\nno network +(%x+)"
    assert.equal(16, #last)
    assert.equal(last, without)
  end)

  it("plays the same match again with the same seed, and another one with another seed", function()
    assert.equal(play "match 600 3", play "match 600 3")
    assert.not_equal(play("match 600 3"):match "last +(%x+)", play("match 600 4"):match "last +(%x+)")
  end)

  it("ends 10,000 rollbacks of 8 frames at the hash of the straight run", function()
    local text = play "rollbacks 10000"
    local straight, rolled = text:match "straight +(%x+)\nrolled back +(%x+)"
    assert.equal(straight, rolled)
    assert.matches("\n0 differ\n", text)
    assert.is_true(tonumber(text:match "(%d+) of them from another state") > 9900)
  end)

  it("plays between two processes over UDP", function()
    local text = play "udp 2"
    local hashes = {}
    for same, last in text:gmatch "\n(%d+) hashes of the other are the same here; the last: (%x+)" do
      assert.is_true(tonumber(same) > 10)
      hashes[#hashes + 1] = last
    end
    assert.equal(2, #hashes)
    assert.equal(hashes[1], hashes[2])
    assert.not_equal(("0"):rep(16), hashes[1])
  end)

  it("draws both ships, also without a display", function()
    local path = folder .. "/picture.bmp"
    play("picture " .. path .. " 400")
    local picture = slurp(path)
    local width, height, _, bits = ("<i4i4i2i2"):unpack(picture, 19)
    assert.same({ 1280, 720 }, { width, math.abs(height) })
    local colors, start, bytes = {}, ("<i4"):unpack(picture, 11) + 1, bits // 8
    for at = start, #picture - bytes + 1, bytes do colors[picture:sub(at, at + 2)] = true end
    assert.is_true(colors["\250\200\90"], "the blue ship") -- BGR
    assert.is_true(colors["\80\160\255"], "the orange ship")
  end)

  it("plays in a window", function()
    local frames, drawings = play("play 0.5"):match "(%d+) frames, (%d+) drawings"
    assert.is_true(tonumber(frames) > 20, frames)
    assert.is_true(tonumber(drawings) > 0)
  end)

  it("says what it does not understand", function()
    local text, ok = output_of(folder .. "/rollback_game match -1")
    assert.is_falsy(ok)
    assert.equal("-1 is not a positive number\n", text)
  end)
end)
