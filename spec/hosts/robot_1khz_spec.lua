-- The loop of examples/hosts/robot_1khz, on a virtual clock, on this machine's, and on a microcontroller in QEMU.
local hosts = require "spec.support.hosts"
local examples = require "spec.support.examples"
local output_of = examples.output_of

local missing = hosts.missing "robot_1khz"
local function has(command) return (os.execute("command -v " .. command .. " >/dev/null 2>&1")) end

describe("robot_1khz", function()
  if missing then
    it("counts missed deadlines", function() pending(missing .. " is not installed") end)
    return
  end

  local folder
  setup(function() folder = hosts.build "robot_1khz" end)

  local function drive(words)
    local text, ok = output_of(folder .. "/robot_1khz " .. words)
    assert.is_true(ok, text)
    return text
  end

  it("counts exactly the deadlines that its plan misses", function()
    -- Every hundredth round of 4000 is followed by a late one, except the last. After 10.3 ms of work a step is late by
    -- 8.3 ms, the next by 0.6 ms less, and so on to the tolerance of 0.05 ms.
    local expected = 39 + math.ceil((8.3 - 0.05) / 0.6)
    local missed, worst =
      drive "":match "^4000 rounds of 1 ms, (%d+) missed deadlines, %d+ by the plan, worst (%S+) ms\n"
    assert.equal(expected, tonumber(missed))
    assert.equal(8.3, tonumber(worst))
  end)

  it("bounces within a step, and ends at its target without asking for memory", function()
    local bounces, angle =
      drive "":match "\n(%d+) bounces, angle (%S+) rad\n%d+ bytes of the arena, none after the start\n"
    assert.equal(2, tonumber(bounces))
    assert.near(1.2, tonumber(angle), 0.01)
  end)

  it("makes the same steps on this machine's clock", function()
    assert.matches("^1002 steps, %d+ missed deadlines, worst %S+ ms\n$", drive "1") -- 1000 rounds, 2 bounces
  end)

  it("refuses a time that it cannot run for", function()
    local text, ok = output_of(folder .. "/robot_1khz 0")
    assert.is_falsy(ok)
    assert.equal("robot_1khz [seconds, 1 to 3600]\n", text)
  end)

  it("has the same bits on a Cortex-M4", function()
    for _, tool in ipairs { "arm-none-eabi-gcc", "qemu-system-arm" } do
      if not has(tool) then return pending(tool .. " is not installed") end
    end
    local library = os.tmpname()
    os.remove(library)
    finally(function() os.execute("rm -rf " .. library) end)
    local make = "env -u MAKELEVEL -u MAKEFLAGS -u SUNDIALS make -s "
    local text, ok = output_of(("%s amalgamation LUA=%s BUILD=%s && mv %s/amalgamation %s/saltus"):format(make,
      os.getenv "SALTUS_LUA" or "lua5.4", library, library, library))
    assert.is_true(ok, text)
    text, ok = output_of(("%s -B -C examples/hosts/robot_1khz AMALGAMATION=%s BUILD=%s %s/microcontroller.txt"):format(
      make, library, library, library))
    assert.is_true(ok, text)
    local function but_memory(said) return (said:gsub("%d+ bytes of the arena", "")) end -- pointers are shorter there
    local said = text:match "4000 rounds.*$"
    assert.equal(but_memory(drive ""), but_memory(said))
    assert.matches("\nhash %x+\n$", said)
  end)
end)
