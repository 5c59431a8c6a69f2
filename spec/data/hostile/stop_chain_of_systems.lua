-- A chain of systems, each known to a closure of the next one alone: one step of the collector takes seconds.
local saltus = require "saltus"
local last
for i = 1, 2500 do
  local before = last
  last = saltus.system { name = "s", discrete = { "x" }, draw = function() return before end }
end
while true do local g = { {}, {} } end
