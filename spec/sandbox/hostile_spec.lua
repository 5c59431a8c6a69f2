-- Scripts that try to read and write files, to stop the host, to eat memory, to poison saltus for others, or to get out
-- of their sandbox, one a file of spec/data/hostile. A host in C (host.c) runs them one after another in one state, and
-- its own scenario after each. A try has succeeded if it returns true; a file that changes, a host that ends or hangs,
-- a script that lasts much longer than it may, and numbers that change count too.
local slurp = require "spec.support.slurp"

local build = os.getenv "SALTUS_BUILD" or "build"

local function lines_of(command)
  local pipe, list = assert(io.popen(command)), {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local CANARY = "untouched"
local SECONDS, TOO_LONG = 0.5, 10 -- of the limit; the clock is not looked at in between, and sanitizers are slow

-- Runs the host in an empty folder with one file. Returns its lines, and the names of the files after it.
local function run(files, options)
  local folder, here = lines_of("mktemp -d")[1], lines_of("pwd")[1]
  local canary = assert(io.open(folder .. "/hostile_canary.txt", "w"))
  canary:write(CANARY)
  canary:close()
  local path = ("%s/lua/?.lua;%s/lua/?/init.lua"):format(here, here)
  local lines = lines_of(("cd %s && timeout 300 %s/%s/spec/sandbox_host '%s' %s %s 2>&1"):format(folder, here,
    build, path, options, here .. "/" .. table.concat(files, " " .. here .. "/")))
  local left = lines_of("ls -A " .. folder)
  assert.equal(CANARY, slurp(folder .. "/hostile_canary.txt"))
  os.remove(folder .. "/hostile_canary.txt")
  os.remove(folder)
  return lines, left
end

describe("a host with a sandbox", function()
  local files = lines_of "ls spec/data/hostile/*.lua"

  it("has two hundred scripts that attack it", function() assert.is_true(#files >= 200) end)

  it("goes on after each of them, and none succeeds", function()
    local lines, left = run(files, "-b 2000000 -s " .. SECONDS)
    assert.same({ "hostile_canary.txt" }, left)
    assert.equal("none succeeded", lines[#lines], table.concat(lines, "\n"))
    local seen = 0
    for i = 3, #lines - 1, 2 do
      local name, what, took = lines[i]:match "^(%S+)\t(%a+)\t(%S+)"
      assert.is_truthy(what == "stopped" or what == "failed", lines[i])
      assert.is_true(tonumber(took) < TOO_LONG, lines[i])
      assert.equal("went on", lines[i + 1], name)
      seen = seen + 1
    end
    assert.equal(#files, seen)
  end)

  it("sees that a script succeeds", function()
    local lines = run({ "spec/sandbox/harmless.lua" }, "")
    assert.matches("^harmless.lua\tSUCCEEDED", lines[3])
    assert.equal("SOME SUCCEEDED", lines[#lines])
  end)
end)
