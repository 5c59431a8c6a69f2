-- The game of examples/hosts/love_rewind, in LÖVE on a display of Xvfb.
local examples = require "spec.support.examples"
local hosts = require "spec.support.hosts"
local slurp = require "spec.support.slurp"

local output_of, build = examples.output_of, examples.build

-- LÖVE has no runtime of the sanitizers.
local missing = build:find "asan" and "a library without sanitizers" or hosts.missing "love_rewind"

describe("love_rewind", function()
  if missing then
    it("runs back in time", function() pending(missing .. " is not there") end)
    return
  end

  local here = output_of "pwd":gsub("\n", "")
  local out = ("%s/%s/hosts/love_rewind"):format(here, build)
  local prefix = out .. "/prefix"

  -- A prefix of links to this build.
  setup(function()
    local text, ok = output_of(([[
      mkdir -p %s/lib %s/share/saltus && ln -sf %s/lib/libsaltus.* %s/lib && ln -sf %s/lib/saltus.cdef %s/share/saltus
    ]]):format(prefix, prefix, here .. "/" .. build, prefix, here .. "/" .. build, prefix))
    assert(ok, text)
  end)

  local function check(words, of_prefix)
    local command = "SALTUS_PREFIX=%s timeout 60 xvfb-run -a -f %s/authority love examples/hosts/love_rewind check %s"
    return output_of(command:format(of_prefix or prefix, out, words))
  end

  it("touches the floor and the walls at the times of the closed form", function()
    local text, ok = check ""
    assert.is_true(ok, text)
    local touches, off = text:match "(%d+) touches in 10 s, at most (%S+) s from the closed form\n"
    -- The walls alone: at (8 - 0.2 - 1) / 2.3 s, then each (8 - 0.4) / 2.3 s.
    assert.is_true(tonumber(touches) > 1 + (10 - 6.8 / 2.3) // (7.6 / 2.3))
    assert.is_true(tonumber(off) < 1e-9)
  end)

  it("goes back through the states of its frames, and again to the same bits", function()
    local text, ok = check ""
    assert.is_true(ok, text)
    local frames, last = text:match "(%d+) frames back and again have the same states, .*; the last: (%x+)\n"
    assert.equal("500", frames)
    assert.equal(16, #last)
    assert.equal(text, (check ""))
  end)

  it("writes a picture with the ball at its place", function()
    local path = out .. "/picture.png"
    os.remove(path)
    local text, ok = check(path)
    assert.is_true(ok, text)
    local picture = slurp(path)
    assert.equal("\137PNG", picture:sub(1, 4))
    local width, height = (">I4I4"):unpack(picture, 17)
    assert.same({ 960, 600 }, { width, height })
  end)

  it("ends with the reason where it finds no library", function()
    local text, ok = check("", "/nowhere")
    assert.is_falsy(ok)
    assert.matches("/nowhere/share/saltus/saltus.cdef", text, 1, true)
  end)
end)
