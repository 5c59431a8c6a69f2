-- doc.lua DIR: writes the reference in HTML, a page for each topic of `saltus help` and each block. The texts come from
-- the tables that also check the options.
local saltus = require "saltus"
local blocks = require "saltus.blocks"
local help = require "saltus.cli.help"

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

local function code(text) return "<code>" .. escape(text) .. "</code>" end

-- Prose: text between backticks is code.
local function prose(text) return (escape(text):gsub("`([^`]+)`", "<code>%1</code>")) end

local function option_rows(kind)
  local rows = {}
  for _, option in ipairs(kind.options) do
    local meaning = prose(option.doc)
    if option.type == "choice" then meaning = meaning .. "; " .. code(option.words:gsub(" ", " | ")) end
    if option.type == "text" then meaning = meaning .. "; out of " .. code(option.words) end
    if not option.fixed and not kind.make then meaning = meaning .. ' <span class="soft">(parameter)</span>' end
    rows[#rows + 1] = { code(option.name), code(blocks.default_text(option)), escape(option.unit or ""), meaning }
  end
  rows[#rows + 1] = { code "name", code(kind.instead_of or kind.name), "", "of the system" }
  rows[#rows + 1] = { code "unit", "", "", "of the output, for axes and checks" }
  return rows
end

local function value_rows(made)
  local rows = {}
  local function add(section, what)
    for _, e in ipairs(made[section]) do
      rows[#rows + 1] = { what, code(e.name), tostring(e.size), escape(e.unit or "") }
    end
  end
  add("inputs", "input")
  add("outputs", "output")
  for _, section in ipairs { "q", "v", "z" } do add(section, "continuous state") end
  add("discrete", "discrete state")
  return rows
end

local function event_rows(made)
  local rows = {}
  for _, e in ipairs(made.events) do
    local kind = e.kind == "none" and "ends the step" or (e.kind:gsub("_", " "))
    rows[#rows + 1] = { code(e.name), e.trigger, kind }
  end
  return rows
end

-- One kind of block; a variant names the options that select it.
local function section(kind)
  local made = assert(load("local saltus = ... return " .. kind.example, "=example"))(saltus)
  local out = {}
  local function add(text, ...) out[#out + 1] = select("#", ...) > 0 and text:format(...) or text end
  if kind.instead_of then add("<h2 id=\"%s\">With %s</h2>\n", kind.name, code(kind.when_given:gsub(" ", " or "))) end
  add("<p>%s</p>\n<pre>%s</pre>\n", prose(kind.doc), escape(kind.law))
  add("<h2>Options</h2>\n" .. as_table({ "option", "default", "unit", "meaning" }, option_rows(kind)))
  add("<h2>Example</h2>\n<pre>%s</pre>\n", escape(kind.example))
  add("<p class=\"soft\">This block has:</p>\n" .. as_table({ "", "name", "size", "unit" }, value_rows(made)))
  if #made.events > 0 then
    add("<h2>Events</h2>\n" .. as_table({ "event", "trigger", "what it does" }, event_rows(made)))
  end
  if kind.drake then add("<p>In Drake: %s.</p>\n", escape(kind.drake)) end
  if kind.simbody then add("<p>In Simbody: Measure::%s.</p>\n", escape(kind.simbody)) end
  return table.concat(out)
end

local function write(dir, name, text)
  local file = assert(io.open(dir .. "/" .. name, "w"))
  assert(file:write(text))
  file:close()
end

local function topic_body(topic)
  local out = { ('<p><a href="index.html">Saltus</a></p>\n<h1>%s</h1>\n<p>%s</p>\n'):format(escape(topic.name),
    escape(topic.doc)) }
  for _, part in ipairs(topic) do
    if part.title then out[#out + 1] = ("<h2>%s</h2>\n"):format(prose((part.title:gsub("[:.]$", "")))) end
    if part.text then out[#out + 1] = ("<p>%s</p>\n"):format(prose(part.text)) end
    if part.example then out[#out + 1] = ("<h2>Example</h2>\n<pre>%s</pre>\n"):format(escape(part.example)) end
    local rows = {}
    for i, row in ipairs(part.rows or {}) do
      rows[i] = { code(row[1]), #row > 2 and code(row[2]) or nil }
      rows[i][#rows[i] + 1] = prose(row[#row])
    end
    if rows[1] then out[#out + 1] = as_table(#rows[1] > 2 and { "", "default", "" } or { "", "" }, rows) end
  end
  return table.concat(out)
end

local function write_topics(dir)
  local rows = {}
  for i, name in ipairs(help.names()) do
    local topic = help.page(name)
    write(dir, name .. ".html", page("Saltus: " .. name, topic_body(topic)))
    rows[i] = { ('<a href="%s.html">%s</a>'):format(name, name), escape(topic.doc) }
  end
  return rows
end

local function main(dir)
  local rows, kinds = {}, blocks.kinds()
  for _, kind in ipairs(kinds) do
    if not kind.instead_of then
      local file, body = kind.name .. ".html", {}
      body[1] = ('<p><a href="index.html">Saltus</a></p>\n<h1>saltus.blocks.%s</h1>\n'):format(kind.name)
      body[2] = section(kind)
      for _, variant in ipairs(kind.variants) do body[#body + 1] = section(variant) end
      write(dir, file, page("saltus.blocks." .. kind.name, table.concat(body)))
      rows[#rows + 1] = { ('<a href="%s">%s</a>'):format(file, kind.name), prose(kind.doc) }
    end
  end
  local of_topics = write_topics(dir)
  write(dir, "index.html", page("Saltus", "<h1>Saltus</h1>\n<p>" .. prose(FIRST) .. "</p>\n"
    .. as_table({ "topic", "" }, of_topics) .. "<h2>Blocks</h2>\n<p>" .. prose(INTRODUCTION) .. "</p>\n"
    .. as_table({ "block", "" }, rows)))
  return #rows + #of_topics
end

print(("%d pages in %s"):format(main(assert(arg[1], "doc.lua DIR")), arg[1]))
