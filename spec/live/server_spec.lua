-- Mirrors lua/saltus/live/server.lua: clients speak HTTP with it over real sockets.
local http_client = require "spec.support.http_client"
local server = require "saltus.live.server"
local socket = require "socket"

local served, now, asked, welcome

before_each(function()
  now, asked, welcome = 0, {}, "hello"
  served = assert(server.new { socket = socket, token = "secret", clock = function() return now end,
    welcome = function() return welcome end,
    answer = function(request)
      asked[#asked + 1] = request
      if request.path == "/broken" then error "a fault of the answer" end
      return 200, "text/plain", request.path
    end })
end)

after_each(function() served:close() end)

local function connect() return http_client.connect(served.port) end

local function serve() served:poll(0.005) end

local function answer_to(client, enough) return http_client.read(client, serve, enough) end

local function ask(text) return http_client.ask(served.port, serve, text) end

local function request(how)
  local host = how.host or "127.0.0.1:" .. served.port
  local lines = { (how.method or "GET") .. " " .. (how.path or "/secret/page") .. " HTTP/1.1" }
  if host ~= "" then lines[#lines + 1] = "Host: " .. host end
  if how.origin then lines[#lines + 1] = "Origin: " .. how.origin end
  for _, line in ipairs(how.lines or {}) do lines[#lines + 1] = line end
  return table.concat(lines, "\r\n") .. "\r\n\r\n"
end

describe("the server of a live run", function()
  it("listens on the loopback only", function()
    assert.equal("127.0.0.1", (served.listener:getsockname()))
    assert.equal(("http://127.0.0.1:%d/secret/"):format(served.port), served:url())
  end)

  it("answers requests of its own page", function()
    local own = "http://127.0.0.1:" .. served.port
    for _, how in ipairs { {}, { host = "localhost:" .. served.port }, { origin = own },
      { method = "POST", origin = own }, { method = "POST", origin = "http://localhost:" .. served.port } } do
      local status, text = ask(request(how))
      assert.equal(200, status)
      assert.matches("\r\n\r\n/page$", text)
      for _, header in ipairs { "Content%-Security%-Policy: default%-src 'none'", "X%-Content%-Type%-Options: nosniff",
        "Cache%-Control: no%-store", "Referrer%-Policy: no%-referrer", "frame%-ancestors 'none'" } do
        assert.matches(header, text)
      end
    end
    assert.equal(5, #asked)
  end)

  it("refuses other hosts, other origins, and requests without the token", function()
    for _, case in ipairs {
      { 403, { host = "evil.example:" .. served.port } },
      { 403, { host = "127.0.0.1" } },
      { 403, { host = "127.0.0.1:" .. served.port + 1 } },
      { 403, { host = "" } },
      { 403, { origin = "http://evil.example" } },
      { 403, { origin = "https://127.0.0.1:" .. served.port } },
      { 403, { origin = "null" } },
      { 403, { method = "POST" } },
      { 403, { method = "POST", origin = "http://127.0.0.1:" .. served.port .. ".evil.example" } },
      { 404, { path = "/" } },
      { 404, { path = "/page" } },
      { 404, { path = "/secre/page" } },
      { 404, { path = "/secretpage" } },
      { 404, { path = "/Secret/page" } },
      { 404, { path = "/x/../secret/page" } },
      { 404, { path = "http://127.0.0.1/secret/page" } },
      { 405, { method = "PUT" } },
      { 405, { method = "OPTIONS" } },
    } do
      assert.equal(case[1], (ask(request(case[2]))), case[2].path or case[2].host or case[2].origin or case[2].method)
    end
    assert.equal(0, #asked)
  end)

  it("refuses malformed and large requests", function()
    assert.equal(431, (ask(request { lines = { "X: " .. ("y"):rep(100000) } })))
    assert.equal(413, (ask(request { method = "POST", lines = { "Content-Length: 1000000" } })))
    assert.equal(400, (ask "GET\r\n\r\n"))
    assert.equal(0, #asked)
  end)

  it("answers although many connections ask for nothing", function()
    local idle = {}
    for i = 1, 64 do
      idle[i] = connect()
      served:poll(0.001)
    end
    assert.equal(200, (ask(request {})))
    for i = 1, 64 do idle[i]:close() end
  end)

  it("survives a fault of the answer", function()
    local status, text = ask(request { path = "/secret/broken" })
    assert.equal(500, status)
    assert.matches("a fault of the answer", text)
    assert.equal(200, (ask(request {})))
  end)

  it("pushes messages to clients that listen", function()
    local client, other = connect(), connect()
    client:send(request { path = "/secret/events" })
    local first = answer_to(client, "data: hello\n\n")
    assert.matches("text/event%-stream", first)
    assert.equal(1, served:listeners())
    served:broadcast "news"
    assert.equal("data: news\n\n", answer_to(client, "\n\n"))
    now = now + 16
    other:close()
    assert.equal(": still here\n\n", answer_to(client, "\n\n"))
    client:close()
    answer_to(connect(), "x")
    assert.equal(0, served:listeners())
  end)

  it("ends clients that send no whole request", function()
    local client = connect()
    client:send "GET /secret/page HTTP/1.1\r\n"
    for _ = 1, 30 do
      now = now + 1
      client:send "X"
      served:poll(0.001)
    end
    local _, why = answer_to(client)
    assert.equal("closed", why)
    assert.equal(200, (ask(request {})))
  end)

  it("drops messages for a client that does not read, and then tells it everything again", function()
    local client = connect()
    client:send(request { path = "/secret/events" })
    answer_to(client, "hello\n\n")
    welcome = "again"
    local message = ("m"):rep(100000)
    for _ = 1, 500 do
      served:broadcast(message)
      served:poll(0)
      now = now + 0.001
    end
    local _, slow = next(served.clients)
    assert.is_true(slow.behind and #slow.output <= 4 * 1024 * 1024)
    local text = ""
    for _ = 1, 3000 do
      served:poll(0.001)
      local data, _, partial = client:receive(1000000)
      text = (text .. (data or partial or "")):sub(-20)
      if text:find "again" then break end
    end
    assert.matches("data: again\n\n$", text)
    for _ = 1, 500 do
      served:broadcast(message)
      served:poll(0)
    end
    for _ = 1, 200 do -- the buffers of the system take something now and then, until they are full
      now = now + 11
      served:poll(0.001)
    end
    assert.equal(0, served:listeners())
  end)

  it("bounds the number of connections", function()
    local clients = {}
    for i = 1, 100 do
      clients[i] = connect()
      served:poll(0)
    end
    for _ = 1, 20 do served:poll(0) end
    local count = 0
    for _ in pairs(served.clients) do count = count + 1 end
    assert.equal(64, count)
    for _, client in ipairs(clients) do client:close() end
    for _ = 1, 5 do served:poll(0) end
    assert.equal(200, (ask(request {})))
  end)

  it("says why it cannot listen", function()
    local other, why = server.new { socket = socket, token = "x", port = served.port }
    assert.is_nil(other)
    assert.matches("in use", why)
  end)

  it("has another token each time", function()
    local one, two = server.token(), server.token()
    assert.matches("^%x+$", one)
    assert.equal(32, #one)
    assert.not_equal(one, two)
  end)
end)
