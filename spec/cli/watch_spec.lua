-- saltus run --watch as a process: it runs again when a file is saved, also after a failure, until a signal ends it.
local command = require "spec.support.command"
local socket = require "socket"

local program = (os.getenv "SALTUS_BUILD" or "build") .. "/bin/saltus"

describe("saltus run --watch", function()
  local here, pid

  before_each(function() here = command.new() end)
  after_each(function()
    if pid then os.execute("kill -KILL " .. pid) end
    pid = nil
    here:remove()
  end)

  local function save(rate)
    here:write("rate.lua", rate)
    return here:write("decay.lua", [[
local saltus = require "saltus"
local rate = require "rate"
return saltus.scenario { duration = 1, log = false, system = saltus.system { name = "decay", z = { { "x", 1 } },
  derivatives = function(ctx, dot) dot.x = -rate * ctx.x end,
  events = { { name = "tell", every = 1, offset = 1, publish = function(ctx) print("x", ctx.x) end } } } }
]])
  end

  local function wait_for(pattern)
    for _ = 1, 500 do
      local found = here:read "out":match(pattern)
      if found then return found end
      socket.sleep(0.02)
    end
    return nil
  end

  it("runs again when a module is saved", function()
    local path = save "return 1"
    here:write("out", "")
    local pipe = assert(io.popen(("%s run %s --watch >%s 2>&1 & pid=$!; echo $pid; wait $pid; echo ended $?"):format(
      program, path, here:path "out")))
    pid = pipe:read "l"
    assert.near(math.exp(-1), tonumber((wait_for "x\t([%d.]+)\n.*\nwaiting until")), 1e-6)
    here:write("rate.lua", "return 2")
    assert.near(math.exp(-2), tonumber((wait_for "waiting.*x\t([%d.]+)\n.*waiting")), 1e-6)
    here:write("rate.lua", "return nothing.at.all")
    assert.truthy(wait_for "(rate.lua:1: attempt to index a nil value)")
    here:write("rate.lua", "return 3")
    assert.near(math.exp(-3), tonumber((wait_for "rate.lua:1: .*x\t([%d.]+)\n")), 1e-6)
    assert.truthy(wait_for "rate.lua:1: .*x\t[%d.]+\n.*waiting(.*)")
    os.execute("kill -TERM " .. pid)
    assert.equal("ended 143", pipe:read "l")
    pid = nil
    pipe:close()
  end)

  it("needs a file", function()
    local path = save "return 1"
    local status, _, err = here:lua(path .. " --watch")
    assert.same({ 2, "saltus: --watch needs a file: saltus run FILE --watch\n" }, { status, err })
  end)
end)
