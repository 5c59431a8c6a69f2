-- doc.lua DIR: writes the reference in HTML, a page for each topic of `saltus help` and each block. Their texts are in
-- docs/site/reference.lua.
local reference = require "docs.site.reference"

local STYLE = [[
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: #2a6; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; margin-bottom: 0; } h2 { font-size: 1.1em; margin: 1.6em 0 .4em; }
pre, code { font: .92em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); padding: .7em 1em; border-left: 3px solid var(--accent); white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .25em .8em .25em 0; border-bottom: 1px solid var(--line); }
td code { white-space: nowrap; } th { font-weight: 600; } .soft { opacity: .7; } a { color: var(--accent); }
]]

local FIRST = [[The reference for scenarios. `saltus help TOPIC` prints the same pages. The README has a first model.]]

local INTRODUCTION = [[Ready-made systems: `saltus.blocks.NAME { ... }` returns a system that you can simulate or add to
a diagram. Options marked (parameter) become parameters of the context. Ports are `input` (`input1`, ...) and `output`
unless a page says otherwise.]]

local function escape(text)
  return (text:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

local function page(title, body)
  return ('<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><meta name="viewport" '
    .. 'content="width=device-width, initial-scale=1"><title>%s</title>\n<style>\n%s</style></head>\n<body>\n%s</body>'
    .. "\n</html>\n"):format(escape(title), STYLE, body)
end

-- Rows of cells; a cell is already HTML.
local function as_table(head, rows)
  local out = { "<table>\n<tr>" }
  for _, cell in ipairs(head) do out[#out + 1] = "<th>" .. cell .. "</th>" end
  out[#out + 1] = "</tr>\n"
  for _, row in ipairs(rows) do out[#out + 1] = "<tr><td>" .. table.concat(row, "</td><td>") .. "</td></tr>\n" end
  out[#out + 1] = "</table>\n"
  return table.concat(out)
end

-- Prose: text between backticks is code.
local function prose(text) return (escape(text):gsub("`([^`]+)`", "<code>%1</code>")) end

local function cells(row)
  local out = {}
  for i, cell in ipairs(row) do out[i] = prose(cell) end
  return out
end

local function part_body(part)
  local out = {}
  local function add(text, ...) out[#out + 1] = text:format(...) end
  local anchor = part.anchor and (' id="%s"'):format(part.anchor) or ""
  if part.title then add("<h2%s>%s</h2>\n", anchor, prose(part.title)) end
  if part.text then add("<p>%s</p>\n", prose(part.text)) end
  if part.code then add("<pre>%s</pre>\n", escape(part.code)) end
  local rows = {}
  for i, row in ipairs(part.rows or {}) do rows[i] = cells(row) end
  if rows[1] then out[#out + 1] = as_table(part.head, rows) end
  return table.concat(out)
end

local function body_of(listed)
  local out = { ('<p><a href="index.html">Saltus</a></p>\n<h1>%s</h1>\n<p>%s</p>\n'):format(escape(listed.title),
    prose(listed.doc)) }
  for _, part in ipairs(listed) do out[#out + 1] = part_body(part) end
  return table.concat(out)
end

local function write(dir, name, text)
  local file = assert(io.open(dir .. "/" .. name, "w"))
  assert(file:write(text))
  file:close()
end

-- Writes the pages; returns a row for each, for the first page.
local function write_pages(dir, list, prefix)
  local rows = {}
  for i, listed in ipairs(list) do
    local file = listed.name .. ".html"
    write(dir, file, page(prefix .. listed.name, body_of(listed)))
    rows[i] = { ('<a href="%s">%s</a>'):format(file, listed.name), prose(listed.doc) }
  end
  return rows
end

local function main(dir)
  local of_topics = write_pages(dir, reference.topics(), "Saltus: ")
  local of_blocks = write_pages(dir, reference.blocks(), "saltus.blocks.")
  write(dir, "index.html", page("Saltus", "<h1>Saltus</h1>\n<p>" .. prose(FIRST) .. "</p>\n"
    .. as_table({ "topic", "" }, of_topics) .. "<h2>Blocks</h2>\n<p>" .. prose(INTRODUCTION) .. "</p>\n"
    .. as_table({ "block", "" }, of_blocks)))
  return #of_topics + #of_blocks
end

print(("%d pages in %s"):format(main(assert(arg[1], "doc.lua DIR")), arg[1]))
