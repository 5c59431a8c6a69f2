-- saltus live as a process: its address, the end by a signal, and what it says without the module socket.
local background = require "spec.support.background"
local command = require "spec.support.command"
local socket = require "socket"

local program = (os.getenv "SALTUS_BUILD" or "build") .. "/bin/saltus"

local function get(port, path)
  local client = assert(socket.connect("127.0.0.1", port))
  client:settimeout(5)
  client:send(("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n"):format(path, port))
  local text = client:receive "*a"
  client:close()
  return text
end

describe("saltus live", function()
  local running

  after_each(function()
    if running then running:close() end
  end)

  it("prints its address, serves it, and ends at a signal", function()
    running = background.start(program .. " live examples/02-bouncing-ball.lua --set height=2")
    local port, path = running:wait_for "http://127%.0%.0%.1:(%d+)(/%x+/)\n"
    assert.equal(33, #(path or "") - 1)
    assert.matches("^HTTP/1.1 200 OK", get(port, path))
    assert.matches("^HTTP/1.1 404", get(port, "/"))
    assert.equal(143, running:finish "TERM")
  end)

  it("says how to install what it needs", function()
    local here = command.new()
    local status, _, err = here:lua([[-e 'package.preload.socket = function() error "none" end
      os.exit(require("saltus.cli.main").main { "live", "examples/02-bouncing-ball.lua" })' ]])
    here:remove()
    assert.equal(1, status)
    assert.equal("saltus: saltus live needs the Lua module socket: apt install lua-socket, or luarocks install "
      .. "luasocket\n", err)
  end)

  it("refuses a file that does not load", function()
    for arguments, wanted in pairs {
      ["nothing.lua"] = "cannot read nothing.lua",
      ["lua/saltus/util/names.lua"] = "returned a table; it should end with",
      ["examples/02-bouncing-ball.lua --set gravty=1"] = 'unknown name "gravty" in "ball"',
      ["examples/02-bouncing-ball.lua --port 99999"] = "must be a port",
    } do
      local pipe = assert(io.popen(("timeout 10 %s live %s 2>&1"):format(program, arguments)))
      local text = pipe:read "a"
      pipe:close()
      assert.truthy(text:find(wanted, 1, true), arguments .. ": " .. text)
    end
  end)
end)
