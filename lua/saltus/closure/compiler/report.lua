-- sim:programs(): which closures of a run are programs, and why the others stay in Lua.
local report = {}

local reasons = { differed = "its program gave other results",
  missed = "its program often met values that it was not compiled for" }

local meta = { __name = "saltus.programs" }

function meta:__tostring()
  local lines = {}
  for i, line in ipairs(self) do
    lines[i] = ("%-48s %-8s %s"):format(line.closure, line.state, line.why or ""):gsub("%s+$", "")
  end
  return table.concat(lines, "\n")
end

function report.new(core, closure)
  local out = setmetatable({}, meta)
  for k, state in ipairs(core:programs()) do
    if state then
      local c, why = closure(k), reasons[state]
      out[#out + 1] = { closure = c.label, state = why and "lua" or state,
        why = why or state == "lua" and (c.not_compiled_because or "it has been called a few times only") or nil }
    end
  end
  return out
end

return report
