-- A web server for one user on one machine: it listens on 127.0.0.1 only and serves requests whose path begins with a
-- random token. It pushes messages as server-sent events.
--
-- Another page in the user's browser can send requests here too. It does not know the token, its Origin is another, and
-- a name that it resolves to 127.0.0.1 is another Host.
local files = require "saltus.util.files"
local http_request = require "saltus.live.http_request"
local names = require "saltus.util.names"

local server = {}

local Server = {}
Server.__index = Server

local MOST_CONNECTIONS = 64
local MOST_WAITING = 4 * 1024 * 1024 -- bytes that a slow client may leave unread before it gets no more messages
local PATIENCE = 10 -- s for a request to arrive, and for a client to read something
local PING = 15 -- s between two signs of life to a client that only listens

local reasons = { [200] = "OK", [204] = "No Content", [400] = "Bad Request", [403] = "Forbidden", [404] = "Not Found",
  [405] = "Method Not Allowed", [413] = "Content Too Large", [431] = "Request Header Fields Too Large",
  [500] = "Internal Server Error", [501] = "Not Implemented" }

local security = table.concat({
  "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
  "X-Frame-Options: DENY", "Cross-Origin-Opener-Policy: same-origin", "Cross-Origin-Resource-Policy: same-origin",
  "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    .. "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}, "\r\n")

-- 32 hexadecimal digits from the system's random numbers.
function server.token()
  local file = files.open("/dev/urandom", "rb")
  local bytes = file and file:read(16)
  if file then file:close() end
  names.fail_if(not bytes or #bytes < 16, "saltus live needs random numbers for its address, from /dev/urandom")
  return (bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

-- options: socket (the module), token, port (0: any free one), clock() in seconds,
--   answer(request)    returns status, type, body of a request; request.path is without the token
--   welcome()          returns the first message to a client that listens, at the path /events
-- Returns nil and the reason if it cannot listen.
function server.new(options)
  local listener, why = options.socket.bind("127.0.0.1", options.port or 0, 16)
  if not listener then return nil, why end
  listener:settimeout(0)
  local _, port = listener:getsockname()
  port = math.tointeger(tonumber(port))
  return setmetatable({ options = options, listener = listener, port = port, clients = {}, accepted = 0,
    prefix = "/" .. options.token, hosts = { ["127.0.0.1:" .. port] = true, ["localhost:" .. port] = true } }, Server)
end

function Server:url() return ("http://127.0.0.1:%d%s/"):format(self.port, self.prefix) end

-- How many clients listen.
function Server:listeners()
  local count = 0
  for _, client in pairs(self.clients) do count = count + (client.listens and 1 or 0) end
  return count
end

-- ---- clients: { socket, number, input, output, seen, listens, behind, closing } ----

local function close(self, client)
  self.clients[client.socket] = nil
  client.socket:close()
end

local function put(client, text) client.output = client.output .. text end

local function respond(client, status, kind, body)
  body = body or reasons[status] .. "\n"
  put(client, ("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n%s\r\n\r\n"):format(
    status, reasons[status], kind or "text/plain; charset=utf-8", #body, security))
  put(client, body)
  client.closing = true
end

local function event_text(message) return "data: " .. message .. "\n\n" end

local function start_listening(self, client)
  client.listens, client.seen = true, self.options.clock()
  put(client, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n" .. security .. "\r\n\r\n")
  put(client, event_text(self.options.welcome()))
end

-- Returns the status of the refusal of a request; nil if it may be served.
local function refusal(self, request)
  local headers = request.headers
  if not self.hosts[headers.host or ""] then return 403 end
  local origin = headers.origin
  if request.method == "POST" and not origin then return 403 end
  if origin and not self.hosts[origin:match "^http://(.*)$" or ""] then return 403 end
  if request.path:sub(1, #self.prefix + 1) ~= self.prefix .. "/" then return 404 end
  if request.method ~= "GET" and request.method ~= "POST" then return 405 end
  return nil
end

local function serve(self, client, request)
  local refused = refusal(self, request)
  if refused then return respond(client, refused) end
  request.path = request.path:sub(#self.prefix + 1)
  if request.path == "/events" and request.method == "GET" then return start_listening(self, client) end
  local ok, status, kind, body = pcall(self.options.answer, request)
  if not ok then return respond(client, 500, nil, tostring(status)) end
  respond(client, status, kind, body)
end

local function receive(self, client)
  local data, why, partial = client.socket:receive(4096)
  data = data or partial
  if why == "closed" then return close(self, client) end
  if client.listens or client.closing then return end -- what else it says does not matter
  client.input = client.input .. data
  local request, refused = http_request.read(client.input)
  if request then return serve(self, client, request) end
  if refused then respond(client, refused) end
end

local function send(self, client)
  local last, why, partial = client.socket:send(client.output, 1, math.min(#client.output, 65536))
  local sent = last or partial or 0
  if why == "closed" then return close(self, client) end
  if sent > 0 then client.seen = self.options.clock() end
  client.output = client.output:sub(sent + 1)
  if client.output ~= "" then return end
  if client.closing then return close(self, client) end
  if client.behind then
    client.behind = false
    put(client, event_text(self.options.welcome()))
  end
end

-- The client that has waited longest without a whole request; nil if all have one.
local function idlest(self)
  local found
  for _, client in pairs(self.clients) do
    local waits = not client.listens and not client.closing
    if waits and (not found or client.number < found.number) then found = client end
  end
  return found
end

-- With too many connections, a new one takes the place of one that asks for nothing.
local function accept(self)
  local count = 0
  for _ in pairs(self.clients) do count = count + 1 end
  for _ = 1, 16 do
    local socket = self.listener:accept()
    if not socket then return end
    count = count + 1
    socket:settimeout(0)
    socket:setoption("tcp-nodelay", true)
    local idle = count > MOST_CONNECTIONS and idlest(self)
    if idle then
      close(self, idle)
      count = count - 1
    end
    if count > MOST_CONNECTIONS then
      socket:close()
    else
      self.accepted = self.accepted + 1
      self.clients[socket] = { socket = socket, number = self.accepted, input = "", output = "",
        seen = self.options.clock() }
    end
  end
end

-- Ends clients that send no whole request or read nothing; others that listen get a sign of life.
local function check_patience(self)
  local now = self.options.clock()
  for _, client in pairs(names.merged(self.clients)) do
    local waited = now - client.seen
    if waited > PATIENCE and not (client.listens and client.output == "") then
      close(self, client)
    elseif client.listens and waited > PING then
      client.seen = now
      put(client, ": still here\n\n")
    end
  end
end

-- ---- the server ----

-- Serves what clients have sent; waits at most `seconds` for something.
function Server:poll(seconds)
  local readers, writers = { self.listener }, {}
  for socket, client in pairs(self.clients) do
    readers[#readers + 1] = socket
    if client.output ~= "" then writers[#writers + 1] = socket end
  end
  local readable, writable = self.options.socket.select(readers, writers, seconds)
  for _, socket in ipairs(readable) do
    local client = self.clients[socket]
    if socket == self.listener then accept(self) elseif client then receive(self, client) end
  end
  for _, socket in ipairs(writable) do
    if self.clients[socket] then send(self, self.clients[socket]) end
  end
  check_patience(self)
end

-- Sends a message to all clients that listen. One that reads too slowly gets a first message again when it has caught
-- up.
function Server:broadcast(message)
  for _, client in pairs(self.clients) do
    if client.listens and #client.output + #message > MOST_WAITING then client.behind = true end
    if client.listens and not client.behind then put(client, event_text(message)) end
  end
end

function Server:close()
  for _, client in pairs(names.merged(self.clients)) do close(self, client) end
  self.listener:close()
end

return server
