-- sim:programs(): which closures of a run are programs, and why the others stay in Lua.
local numerals = require "saltus.util.numerals"

local report = {}

local reasons = { differed = "its program gave other results",
  missed = "its program often met values that it was not compiled for" }

local meta = { __name = "saltus.programs" }

local function cost_text(line)
  return line.calls and numerals.format("%10d calls %10.3f ms  ", line.calls, 1e3 * line.seconds) or ""
end

function meta:__tostring()
  local lines = {}
  for i, line in ipairs(self) do
    lines[i] = ("%-48s %-8s %s%s"):format(line.closure, line.state, cost_text(line), line.why or ""):gsub("%s+$", "")
  end
  return table.concat(lines, "\n")
end

function report.new(core, closure)
  local out, costs = setmetatable({}, meta), core:costs() -- costs is empty unless the option profile is set
  for k, state in ipairs(core:programs()) do
    local cost = costs[k]
    if not state and cost and cost[1] > 0 then state = "program" end -- another run has compiled it
    if state then
      local c, why = closure(k), reasons[state]
      out[#out + 1] = { closure = c.label, state = why and "lua" or state,
        why = why or state == "lua" and (c.not_compiled_because or "it has been called a few times only") or nil,
        calls = cost and cost[1], seconds = cost and cost[2] }
    end
  end
  return out
end

return report
