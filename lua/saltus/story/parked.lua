-- Which stories wait, where, and for what.
local getinfo = require("saltus.core").getinfo
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local parked = {}

-- "file:line" at which a story waits: the innermost function that is neither C nor of this library. Of a story that has
-- not begun, where its function is defined.
function parked.line(story)
  local thread, first = story:thread(), story:unbegun()
  if first then return names.defined(first) end
  if not thread then return nil end
  local level = 0
  while true do
    local info = getinfo(thread, level, "Slf")
    if not info then return nil end
    if info.currentline > 0 and names.defined(info.func) then
      return ("%s:%d"):format(info.short_src, info.currentline)
    end
    level = level + 1
  end
end

local List = {}

function List:__tostring()
  local lines = {}
  for i, item in ipairs(self) do
    local margin = item.margin and numerals.format(", margin now %.6g", item.margin) or ""
    lines[i] = ("  %s, %s: waits for %s%s"):format(item.name, item.line or "?", item.waits_for, margin)
  end
  return table.concat(lines, "\n")
end

local function describe(host, story)
  local waits = host.waits[story:id()]
  local margin
  if waits and waits.margin then
    local ok, value = pcall(waits.margin, waits, host)
    margin = ok and type(value) == "number" and value or nil
  end
  return { name = host:name(story), line = parked.line(story), margin = margin,
    waits_for = story:state() == "ready" and "its turn" or waits and waits:text() or "a time" }
end

function parked.list(host)
  local out, ids = {}, {}
  for id in pairs(host.kernel:stories()) do ids[#ids + 1] = id end
  table.sort(ids)
  for _, id in ipairs(ids) do
    local story = host.kernel:stories()[id]
    local waits = host.waits[id]
    if story:state() ~= "ended" and not (waits and waits.is_stopped) then out[#out + 1] = describe(host, story) end
  end
  return setmetatable(out, List)
end

return parked
