-- Read by busted before the specs. SALTUS_GC=stress: the collector is never at rest, and full collections follow
-- one another as closely as keeps the suite within a few times its usual length, so that whatever is not anchored is
-- seen to vanish. (spec/stress/collect.lua collects at every allocation, in a scenario of its own.)
if os.getenv "SALTUS_GC" == "stress" then
  collectgarbage("incremental", 0, 20, 13) -- no cycle in one step: 20 % of what was allocated
  collectgarbage("setpause", 0) -- the next cycle begins at once
  local clock, ended, cost = os.clock, 0, 0
  debug.sethook(function()
    local begin = clock()
    if begin - ended < cost / 2 then return end
    collectgarbage()
    ended = clock()
    cost = ended - begin
  end, "", 4000)
end

-- busted keeps every spec, and by it all that its file has loaded and made: some 100 MB in the end, which each full
-- collection of the last files would mark.
local busted = require "busted"

local function forget(element)
  for _, child in ipairs(busted.children(element)) do forget(child) end
  for key, value in pairs(element) do
    if type(value) == "function" or key == "env" then element[key] = nil end
  end
end

busted.subscribe({ "file", "end" }, function(file)
  forget(file)
  return nil, true -- the other subscribers are called too
end)
