-- Pages of help as text.
local help_text = {}

local WIDTH = 116

-- The text in lines; all lines but the first are indented by `indent` blanks.
local function wrapped(text, indent)
  local lines, line = {}, ""
  for word in text:gmatch "%S+" do
    if line ~= "" and indent + #line + 1 + #word > WIDTH then
      lines[#lines + 1] = line
      line = word
    else
      line = line == "" and word or line .. " " .. word
    end
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n" .. (" "):rep(indent))
end

local function widths_of(rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for i = 1, #row - 1 do widths[i] = math.max(widths[i] or 0, #row[i]) end
  end
  return widths
end

local function row_text(row, widths)
  local text = " "
  for i = 1, #row - 1 do text = text .. (" %-" .. widths[i] .. "s "):format(row[i]) end
  return text .. " " .. wrapped(row[#row], #text + 1)
end

-- The text of a page (help.lua).
function help_text.of(page)
  local lines = {}
  for i, part in ipairs(page) do
    if i > 1 then lines[#lines + 1] = "" end
    lines[#lines + 1] = part.title and wrapped(part.title, 0) .. "\n"
    lines[#lines + 1] = part.text and wrapped(part.text, 0)
    lines[#lines + 1] = part.example and "  " .. part.example:gsub("\n", "\n  ")
    local widths = widths_of(part.rows or {})
    for _, row in ipairs(part.rows or {}) do lines[#lines + 1] = row_text(row, widths) end
  end
  return table.concat(lines, "\n")
end

return help_text
