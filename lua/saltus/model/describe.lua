-- A system as text: one line for each name, with its default, its unit and its description.
local variable = require "saltus.model.variable"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local constraints = require "saltus.model.constraints"

local describe = {}

local MOST = 16 -- numbers of a list that are written

local function list_text(list)
  if #list <= MOST then return numerals.list("%.10g", list) end
  local first = numerals.list("%.10g", table.move(list, 1, MOST, 1, {}))
  return ("%s, ... }, %d numbers"):format(first:sub(1, -3), #list)
end

-- The default of an entry as users write it.
function describe.default_text(content, e)
  if e.partition == "output" and e.abstract then return "(abstract)" end
  if e.partition == "output" then return e.size > 1 and ("[%d]"):format(e.size) or "" end
  if e.required then return "(to be connected)" end
  local default = variable.default_of(content, e)
  if e.values then return e.values[default] .. " (" .. table.concat(e.values, " | ") .. ")" end
  if e.abstract then return type(default) end
  return type(default) == "table" and list_text(default) or numerals.format("%.10g", default)
end

local function event_text(e)
  local when = {
    initialization = "at initialization", step = "at every step", demand = "on demand",
    period = numerals.format("every %.10g s", e.every or 0)
      .. (e.offset ~= 0 and numerals.format(", offset %.10g s", e.offset) or ""),
    time = e.time_variable and "at the time in " .. e.time_variable.name or "at the time that next_time returns",
    witness = "witness, " .. (e.direction or ""),
    change = "where a condition turns true",
  }
  return when[e.trigger] .. (e.kind == "none" and "" or ", " .. e.kind)
end

-- One line for each name: section, name, default with unit, doc.
function describe.describe(content)
  local width = 10
  for name in pairs(content.by_name) do width = math.max(width, #name) end
  for _, e in ipairs(content.events) do width = math.max(width, #e.name) end
  local lines = { ("system %s (%s)"):format(content.name, content.source) }
  local function line(section, name, text, doc)
    local l = ("  %-9s %s  %s"):format(section, names.padded(name, width), text):gsub("%s+$", "")
    lines[#lines + 1] = doc and l .. "  -- " .. doc or l
  end
  for _, section in ipairs(variable.sections) do
    for _, e in ipairs(content[section.name]) do
      local text = describe.default_text(content, e)
      if e.unit then text = (e.partition == "output" and "%s [%s]" or "%s %s"):format(text, e.unit):gsub("^ ", "") end
      line(section.name, e.name, text, e.doc)
    end
  end
  for _, past in ipairs(content.pasts or {}) do line("past", past.name, numerals.format("%.10g s", past.depth)) end
  for _, e in ipairs(content.events) do line("event", e.name, event_text(e), e.doc) end
  for _, field in ipairs(names.sorted_keys(constraints.fields)) do
    if content[field] then line("closure", field, constraints.fields[field][1]) end
  end
  return table.concat(lines, "\n")
end

return describe
