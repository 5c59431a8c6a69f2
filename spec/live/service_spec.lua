-- Mirrors lua/saltus/live/service.lua: a page is served, acts and learns of edited files, without a browser.
local http_client = require "spec.support.http_client"
local json = require "dkjson"
local saltus = require "saltus"
local service = require "saltus.live.service"
local socket = require "socket"

local served, source, edited

local function load_source()
  local chunk, wrong = load(source, "=growth.lua")
  if not chunk then return nil, wrong end
  return chunk()
end

local function model(rate, name)
  return ([[
local saltus = require "saltus"
return saltus.scenario { duration = 100, system = saltus.system { name = "growth", z = { { "x", 1 } },
  params = { { "%s", 1, unit = "</script><b>", doc = "<img src=x>" } },
  derivatives = function(ctx, dot) dot.x = %s * ctx.%s end } }
]]):format(name or "gain", rate, name or "gain")
end

before_each(function()
  assert.truthy(saltus)
  source, edited = model "ctx.x", false
  served = assert(service.new { socket = socket, clock = socket.gettime, file = "growth.lua", load = load_source,
    files = { changed = function() return edited end } })
end)

after_each(function() served:close() end)

local function serve() served:turn() end

local function ask(method, path, body)
  local port = served.server.port
  local host = "127.0.0.1:" .. port
  local status, text = http_client.ask(port, serve,
    ("%s %s%s HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nContent-Length: %d\r\n\r\n%s"):format(method,
      served.server.prefix, path, host, host, #(body or ""), body or ""))
  return status, text:match "\r\n\r\n(.*)$"
end

local function act(name, body) return ask("POST", "/act/" .. name, body) end

-- A client that listens; returns a function for the next message that matches.
local function listen()
  local client = http_client.connect(served.server.port)
  client:send(("GET %s/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"):format(served.server.prefix, served.server.port))
  local text = ""
  return function(wanted)
    for _ = 1, 50 do
      for line in text:gmatch "data: ([^\n]*)\n\n" do
        local message = json.decode(line)
        if wanted(message) then return message end
      end
      text = http_client.read(client, serve, "\n\n")
    end
    return nil
  end
end

describe("the service of a live run", function()
  it("serves the page, which loads nothing from elsewhere", function()
    local status, text = ask("GET", "/")
    assert.equal(200, status)
    for address in text:gmatch '[sh]r[ce]f?="([^"]+)"' do
      assert.is_nil(address:find "//")
      if address ~= "data:," then assert.equal(200, (ask("GET", "/" .. address)), address) end
    end
    for _, path in ipairs { "/../session.lua", "/page.lua", "/..%2fserver.lua", "/act/set", "/live.js/../page.lua",
      "" } do
      assert.equal(404, (ask("GET", path)), path)
    end
  end)

  it("has no text of the model in the page, and none that ends a script in its messages", function()
    local _, text = ask("GET", "/")
    assert.is_nil(text:find "growth")
    local message = listen()(function(m) return m.setup end)
    assert.same({ "growth", "</script><b>" }, { message.setup.title, message.setup.controls[1].unit })
    for _, name in ipairs { "live.js", "charts.js" } do
      local _, script = ask("GET", "/" .. name)
      for _, sink in ipairs { "innerHTML", "outerHTML", "insertAdjacentHTML", "document%.write", "eval%(" } do
        assert.is_nil(script:find(sink), name .. ": " .. sink)
      end
    end
  end)

  it("acts, and refuses with a reason", function()
    assert.equal(204, (act "step"))
    assert.equal(204, (act("set", "name=gain&value=2")))
    assert.equal(2, served.session.run.sim.context.gain)
    assert.same({ 400, "gain must be a number" }, { act("set", "name=gain&value=os.exit()") })
    assert.same({ 400, 'there is no action "load"' }, { act("load", "x=1") })
    assert.equal(400, (act("set", '{"name":"gain","value":3}')))
    assert.equal(404, (ask("POST", "/act/Set", "")))
    assert.equal(413, (act("set", "name=gain&value=" .. ("1"):rep(5000))))
    assert.equal(2, served.session.run.sim.context.gain)
  end)

  it("tells a client that listens what happens, and pauses when nobody looks", function()
    local next_message = listen()
    assert.truthy(next_message(function(m) return m.setup end))
    act "play"
    local message = next_message(function(m) return m.mode == "running" and #m.rows > 0 end)
    assert.near(math.exp(message.head[1]), message.head[2], 1e-3 * message.head[2])
    for client in pairs(served.server.clients) do client:close() end
    served.server.clients = {}
    served:turn()
    assert.equal("paused", served.session.mode)
  end)

  it("runs an edited file from the same state, and goes on without one that does not load", function()
    local next_message = listen()
    next_message(function(m) return m.setup end)
    for _ = 1, 3 do act "step" end
    local function save(text)
      source, edited = text, true
      served.looked = 0
      served:turn()
      edited = false
    end
    save "return saltus.scenario {"
    local message = next_message(function(m) return #m.notices > 0 and m.notices[#m.notices].kind == "error" end)
    assert.matches("growth.lua:1: unexpected symbol", message.notices[#message.notices].text)
    assert.equal(3, served.session.number)
    save(model "0")
    local x = served.session.run.sim.context.x
    assert.truthy(next_message(function(m) return m.setup and m.notices[#m.notices].kind == "news" end))
    act "step"
    assert.equal(x, served.session.run.sim.context.x)
    save(model("0", "rate"))
    message = next_message(function(m) return m.setup and m.setup.controls[1].path == "rate" end)
    assert.matches("1 name vanished: gain", message.notices[#message.notices].text)
  end)

  it("says why it cannot start", function()
    source = "return"
    local function no_file() return nil, "no file" end
    local none, why = service.new { socket = socket, clock = socket.gettime, load = no_file }
    assert.same({ nil, "no file" }, { none, why })
    source = model "1"
    none, why = service.new { socket = socket, clock = socket.gettime, port = served.server.port, load = load_source }
    assert.is_nil(none)
    assert.matches("address already in use", why)
  end)
end)
