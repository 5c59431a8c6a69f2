-- A client of a server in the same thread. serve() lets the server work between two reads.
local socket = require "socket"

local http_client = {}

function http_client.connect(port)
  local client = assert(socket.connect("127.0.0.1", port))
  client:settimeout(0)
  return client
end

-- Serves until the client has `wanted` of an answer, or all of it, or nothing more comes. Returns the text; and
-- "closed" at its end.
function http_client.read(client, serve, wanted)
  local text = ""
  for _ = 1, 400 do
    serve()
    local data, why, partial = client:receive(65536)
    text = text .. (data or partial or "")
    if why == "closed" or wanted and text:find(wanted, 1, true) then return text, why end
  end
  return text
end

-- Sends a request; returns the status of the answer, and the whole answer.
function http_client.ask(port, serve, text)
  local client = http_client.connect(port)
  client:send(text)
  local answer = http_client.read(client, serve)
  client:close()
  return tonumber(answer:match "^HTTP/1.1 (%d+)"), answer
end

return http_client
