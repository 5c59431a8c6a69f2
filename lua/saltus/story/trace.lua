-- The timeline of stories: a line each time that one goes on.
local numerals = require "saltus.util.numerals"
local parked = require "saltus.story.parked"

local trace = {}

-- What it waited for, and which story made that true.
local function cause(host, story, waker)
  local waits = host.waits[story:id()]
  local by = waker > 0 and (" by %s"):format(host.traced[waker] or "story " .. waker) or ""
  if story:unbegun() then return "begins" .. by, "" end
  return "after " .. (waits and waits:text() or "a time") .. by, parked.line(story) or ""
end

-- Called by the kernel before a story runs; waker: the id of the story that woke it, or 0.
function trace.turn(host, story, waker)
  host.traced[story:id()] = host:name(story) -- it may end before those that it wakes go on
  local what, line = cause(host, story, waker)
  host.tracer(numerals.format("%12.9g s  %-16s %s%s", host.kernel:time(), host:name(story), what,
    line ~= "" and "  (" .. line .. ")" or ""))
end

return trace
