-- What a process of `saltus test` writes: the events of reporter.lua between what its specs print.
local serialize = require "saltus.util.serialize"

local event_stream = {}

local Stream = {}
Stream.__index = Stream

-- printed(text) and happened(event) are called in the order of the bytes.
function event_stream.new(mark, printed, happened)
  return setmetatable({ mark = mark, printed = printed, happened = happened, rest = "" }, Stream)
end

function Stream:print(text)
  if text ~= "" then self.printed(text) end
end

-- Returns whether a whole event was read.
function Stream:read_event()
  local text = self.rest
  local from = text:find(self.mark, 1, true)
  if not from then
    local whole = math.max(0, #text - #self.mark + 1) -- a part of a mark may be its end
    self:print(text:sub(1, whole))
    self.rest = text:sub(whole + 1)
    return false
  end
  self:print(text:sub(1, from - 1))
  text = text:sub(from)
  self.rest = text
  local length, start = text:match("^(%d+):()", #self.mark + 1)
  if not length then
    if not text:find("^%d*[^%d]", #self.mark + 1) then return false end
    self:print(text:sub(1, 1)) -- a mark without an event
    self.rest = text:sub(2)
    return true
  end
  if #text < start + length - 1 then return false end
  self.rest = text:sub(start + length)
  self.happened(serialize.decode(text:sub(start, start + length - 1)))
  return true
end

function Stream:feed(text)
  self.rest = self.rest .. text
  repeat until not self:read_event()
end

function Stream:close()
  self:print(self.rest)
  self.rest = ""
end

return event_stream
