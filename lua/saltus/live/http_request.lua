-- Requests of HTTP/1.1 as a browser sends them to a local server: bounded, and nothing that this server does not need.
local http_request = { MOST_HEAD = 8192, MOST_BODY = 4096 }

local function unescape(text)
  return (text:gsub("+", " "):gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

-- "name=gain&value=2.5" as a table; nil if it is no such text.
function http_request.fields(text)
  local out = {}
  for item in text:gmatch "[^&]+" do
    local name, value = item:match "^([%w_]+)=([^=]*)$"
    if not name or value:gsub("%%%x%x", ""):find "%%" then return nil end
    out[name] = unescape(value)
  end
  return out
end

local function headers_of(text)
  local out = {}
  for line in text:gmatch "[^\r\n]+" do
    local name, value = line:match "^([%w-]+):[ \t]*(.-)[ \t]*$"
    if not name or out[name:lower()] then return nil end -- a repeated header can mean two things
    out[name:lower()] = value
  end
  return out
end

local function body_length(headers)
  if headers["transfer-encoding"] then return nil, 501 end
  local given = headers["content-length"]
  if not given then return 0 end
  if not given:find "^%d+$" then return nil, 400 end
  if #given > 9 or tonumber(given) > http_request.MOST_BODY then return nil, 413 end
  return tonumber(given)
end

-- Reads the first request in `text`. Returns { method, path, headers, body }; nil if it is not complete yet; nil and
-- the status of the refusal.
function http_request.read(text)
  local head_end, body_start = text:find("\r\n\r\n", 1, true)
  if not head_end or head_end > http_request.MOST_HEAD then
    if #text > http_request.MOST_HEAD then return nil, 431 end
    return nil
  end
  local method, path, rest = text:sub(1, head_end + 1):match "^(%u+) (%S+) HTTP/1%.[01]\r\n(.*)$"
  if not method then return nil, 400 end
  local headers = headers_of(rest)
  if not headers then return nil, 400 end
  local length, refused = body_length(headers)
  if not length then return nil, refused end
  if #text < body_start + length then return nil end
  return { method = method, path = path, headers = headers, body = text:sub(body_start + 1, body_start + length) }
end

return http_request
