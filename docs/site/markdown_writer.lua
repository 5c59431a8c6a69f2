-- Writes pages of the reference (docs/site/reference.lua) as Markdown.
local writer = {}

local SPECIAL = { ["<"] = "&lt;", [">"] = "&gt;", ["&"] = "&amp;", ["*"] = "\\*", ["_"] = "\\_", ["["] = "\\[",
  ["]"] = "\\]", ["|"] = "\\|", ["#"] = "\\#" }

-- Text whose only mark is the backtick, for code.
function writer.prose(text)
  return ((text .. "``"):gsub("([^`]*)(`[^`]*`)", function(plain, code)
    return plain:gsub("[<>&*_%[%]|#]", SPECIAL) .. (code == "``" and "" or code)
  end))
end

local function line(cells) return "| " .. table.concat(cells, " | ") .. " |\n" end

local function table_of(head, rows)
  local out, rule = { line(head) }, {}
  for i in ipairs(head) do rule[i] = "---" end
  out[2] = line(rule)
  for _, row in ipairs(rows) do
    local cells = {}
    for i, cell in ipairs(row) do cells[i] = writer.prose(cell):gsub("\n", " ") end
    out[#out + 1] = line(cells)
  end
  return table.concat(out)
end

local function part_text(part)
  local out = {}
  local function add(text) out[#out + 1] = text .. "\n" end
  if part.title then add("## " .. writer.prose(part.title) .. (part.anchor and " {#" .. part.anchor .. "}" or "")) end
  if part.text then add(writer.prose(part.text) .. "\n") end
  if part.code then add("```" .. (part.language or "lua") .. "\n" .. part.code .. "\n```\n") end
  if part.rows then add(table_of(part.head, part.rows)) end
  return table.concat(out, "\n")
end

function writer.page(page)
  local out = { ("# %s\n\n%s\n"):format(writer.prose(page.title), writer.prose(page.doc)) }
  for _, part in ipairs(page) do out[#out + 1] = part_text(part) end
  return table.concat(out, "\n")
end

-- A page that lists others: { name, doc } each in a file beside it.
function writer.index(title, text, pages)
  local out = { ("# %s\n\n%s\n\n| page | about |\n|---|---|\n"):format(title, text) }
  for _, page in ipairs(pages) do
    out[#out + 1] = ("| [%s](%s.md) | %s |\n"):format(page.name, page.name, writer.prose(page.doc))
  end
  return table.concat(out)
end

return writer
