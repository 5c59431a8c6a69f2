-- saltus run --watch as a process: it runs again when a file is saved, also after a failure, until a signal ends it.
local background = require "spec.support.background"
local command = require "spec.support.command"
local slurp = require "spec.support.slurp"
local socket = require "socket"

local program = (os.getenv "SALTUS_BUILD" or "build") .. "/bin/saltus"

describe("saltus run --watch", function()
  local here, running

  before_each(function() here = command.new() end)
  after_each(function()
    if running then running:close() end
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

  it("runs again when a module is saved", function()
    local path = save "return 1"
    running = background.start(("%s run %s --watch"):format(program, path))
    assert.near(math.exp(-1), tonumber((running:wait_for "x\t([%d.]+)\n.*\nwaiting until")), 1e-6)
    here:write("rate.lua", "return 2")
    assert.near(math.exp(-2), tonumber((running:wait_for "waiting.*x\t([%d.]+)\n.*waiting")), 1e-6)
    here:write("rate.lua", "return nothing.at.all")
    assert.truthy(running:wait_for "(rate.lua:1: attempt to index a nil value)")
    here:write("rate.lua", "return 3")
    assert.near(math.exp(-3), tonumber((running:wait_for "rate.lua:1: .*x\t([%d.]+)\n")), 1e-6)
    assert.truthy(running:wait_for "rate.lua:1: .*x\t[%d.]+\n.*waiting(.*)")
    assert.equal(143, running:finish "TERM")
  end)

  it("prints nothing else to a standard output that is a file of the run", function()
    local line = ("%s run %s --watch --json - 2>%s"):format(program, save "return 1", here:path "said")
    running = background.start(("sh -c \"exec %s\""):format(line))
    assert.truthy(running:wait_for '"scenario":"decay"')
    for _ = 1, 500 do if here:read("said"):find "waiting until" then break end socket.sleep(0.02) end
    assert.is_nil(slurp(running.out):find "waiting")
    assert.truthy(here:read("said"):find "waiting until")
    running:finish "TERM"
  end)

  it("needs a file", function()
    local path = save "return 1"
    local status, _, err = here:lua(path .. " --watch")
    assert.same({ 2, "saltus: --watch needs a file: saltus run FILE --watch\n" }, { status, err })
  end)
end)
