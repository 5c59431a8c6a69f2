-- Mirrors lua/saltus/testing/runner/event_stream.lua: events between prints, however the bytes are cut.
local event_stream = require "saltus.testing.runner.event_stream"
local serialize = require "saltus.util.serialize"

local MARK = "mark-mark-"

local function event(value)
  local bytes = serialize.encode(value)
  return MARK .. #bytes .. ":" .. bytes
end

it("reads the same events and prints from any pieces", function()
  local bytes = "a mark-" .. event { kind = "one", text = MARK .. "3:" } .. event { kind = "two" } .. "mark-mark"
    .. event { kind = "three\n" } .. "the end mark-mark"
  math.randomseed(11)
  for _ = 1, 200 do
    local seen = {}
    local stream = event_stream.new(MARK, function(text)
      if type(seen[#seen]) == "string" then seen[#seen] = seen[#seen] .. text else seen[#seen + 1] = text end
    end, function(happened) seen[#seen + 1] = { happened.kind, happened.text } end)
    local at = 1
    while at <= #bytes do
      local length = math.random(1, 12)
      stream:feed(bytes:sub(at, at + length - 1))
      at = at + length
    end
    stream:close()
    assert.same({ "a mark-", { "one", MARK .. "3:" }, { "two" }, "mark-mark", { "three\n" }, "the end mark-mark" },
      seen)
  end
end)
