-- What a closure's ctx shows of itself: pairs(ctx) goes over names and values, print(ctx) writes them.
local entry = require "saltus.entry"

local shown = {}

-- A value in one line: numbers, modes, vectors; of abstract data its kind.
function shown.value(e, value)
  if e.abstract then return type(value) == "string" and value or "(" .. type(value) .. ")" end
  if not e.vector then return tostring(value) end
  local numbers = {}
  for i = 1, e.size do numbers[i] = tostring(value[i]) end
  return "{ " .. table.concat(numbers, ", ") .. " }"
end

-- The entries of a system; an output does not ask for outputs.
local function entries_of(system, kind)
  local list = {}
  for _, section in ipairs(entry.sections) do
    if section.name ~= "outputs" or kind ~= "output" then
      for _, e in ipairs(system[section.name]) do
        if system.by_name[e.name] == e then list[#list + 1] = e end
      end
    end
  end
  return list
end

-- For pairs(ctx): the time, then the names of the system. `kind`: of the closure.
function shown.each(system, kind, ctx)
  local list, i = entries_of(system, kind), -1
  return function()
    i = i + 1
    if i == 0 then return "time", ctx.time end
    if list[i] then return list[i].name, ctx[list[i].name] end
  end
end

function shown.text(system, kind, ctx)
  local lines = { "time = " .. tostring(ctx.time) }
  for _, e in ipairs(entries_of(system, kind)) do
    lines[#lines + 1] = e.name .. " = " .. shown.value(e, ctx[e.name])
  end
  return table.concat(lines, "\n")
end

return shown
