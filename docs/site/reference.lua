-- Pages of the reference as plain tables: the topics of `saltus help`, and a page for each block. Their texts come from
-- the tables that check the options. spec/support/doc.lua writes them in HTML, docs/site/assemble.lua in Markdown.
--
-- A page: { name =, title =, doc =,
--   { title =, text =, code =, language =, head = { cell, ... }, rows = { { cell, ... }, ... } } }
-- In texts and cells, what stands between backticks is code.
local saltus = require "saltus"
local blocks = require "saltus.blocks"
local help = require "saltus.cli.help"

local reference = {}

local function code(text) return text ~= "" and "`" .. text .. "`" or "" end

-- ---- topics ----

local function topic_part(part)
  local rows, width = {}, 0
  for i, row in ipairs(part.rows or {}) do
    width = #row
    rows[i] = { code(row[1]), #row > 2 and code(row[2]) or nil }
    rows[i][#rows[i] + 1] = row[#row]
  end
  return { title = part.title and part.title:gsub("[:.]$", "") or part.example and "Example" or nil, text = part.text,
    code = part.example, head = width > 2 and { "name", "default", "meaning" } or { "name", "meaning" },
    rows = rows[1] and rows }
end

local function command_part(command)
  local usage, rows = "saltus " .. command.name .. (command.options and " [OPTIONS]" or ""), {}
  for _, argument in ipairs(command.arguments or {}) do
    local name = argument.name:upper() .. (argument.many and " ..." or "")
    usage = usage .. " " .. (argument.optional and "[" .. name .. "]" or name)
  end
  for _, option in ipairs(command.options or {}) do
    rows[#rows + 1] = { code(option.name .. (option.argname and " " .. option.argname or "")), option.doc }
  end
  return { title = "saltus " .. command.name, text = command.doc .. " Usage: `" .. usage .. "`",
    head = { "option", "meaning" }, rows = rows[1] and rows }
end

-- The command line: a part for each command, from the tables of its parser.
local function command_page()
  local page = { name = "command", title = "The command saltus", doc = "What `saltus help COMMAND` and `saltus man` "
    .. "print too." }
  for i, command in ipairs(require "saltus.cli.commands") do page[i] = command_part(command) end
  local rows = {}
  for i, row in ipairs(require "saltus.cli.exit_status") do rows[i] = { code(row[1]), row[2] } end
  page[#page + 1] = { title = "Exit status", head = { "status", "meaning" }, rows = rows }
  return page
end

function reference.topics()
  local pages = {}
  for i, name in ipairs(help.names()) do
    local topic = help.page(name)
    pages[i] = { name = name, title = name, doc = topic.doc }
    for k, part in ipairs(topic) do pages[i][k] = topic_part(part) end
  end
  pages[#pages + 1] = command_page()
  return pages
end

-- ---- blocks ----

local function meaning_of(kind, option)
  local meaning = option.doc
  if option.type == "choice" then meaning = meaning .. "; `" .. option.words:gsub(" ", " | ") .. "`" end
  if option.type == "text" then meaning = meaning .. "; out of " .. code(option.words) end
  if not option.fixed and not kind.make then meaning = meaning .. " (parameter)" end
  return meaning
end

local function option_rows(kind)
  local rows = {}
  for i, option in ipairs(kind.options) do
    rows[i] = { code(option.name), code(blocks.default_text(option)), option.unit or "", meaning_of(kind, option) }
  end
  rows[#rows + 1] = { "`name`", code(kind.instead_of or kind.name), "", "of the system" }
  rows[#rows + 1] = { "`unit`", "", "", "of the output, for axes and checks" }
  return rows
end

local function value_rows(made)
  local rows = {}
  local function add(section, what)
    for _, e in ipairs(made[section]) do rows[#rows + 1] = { what, code(e.name), tostring(e.size), e.unit or "" } end
  end
  add("inputs", "input")
  add("outputs", "output")
  for _, section in ipairs { "q", "v", "z" } do add(section, "continuous state") end
  add("discrete", "discrete state")
  return rows
end

local function event_rows(made)
  local rows = {}
  for i, e in ipairs(made.events) do
    rows[i] = { code(e.name), e.trigger, e.kind == "none" and "ends the step" or (e.kind:gsub("_", " ")) }
  end
  return rows
end

-- Adds the parts of one kind; a variant names the options that select it.
local function add_kind(page, kind)
  local made = assert(load("local saltus = ... return " .. kind.example, "=example"))(saltus)
  local function add(part) page[#page + 1] = part end
  local variant = kind.instead_of and "With `" .. kind.when_given:gsub(" ", "` or `") .. "`" or nil
  if variant then add { title = variant, anchor = kind.name, text = kind.doc } end
  add { code = kind.law, language = "text" }
  add { title = "Options", head = { "option", "default", "unit", "meaning" }, rows = option_rows(kind) }
  add { title = "Example", code = kind.example }
  add { text = "This block has:", head = { "what", "name", "size", "unit" }, rows = value_rows(made) }
  if made.events[1] then
    add { title = "Events", head = { "event", "trigger", "what it does" }, rows = event_rows(made) }
  end
  if kind.drake then add { text = "In Drake: " .. kind.drake .. "." } end
  if kind.simbody then add { text = "In Simbody: Measure::" .. kind.simbody .. "." } end
end

function reference.blocks()
  local pages = {}
  for _, kind in ipairs(blocks.kinds()) do
    if not kind.instead_of then
      local page = { name = kind.name, title = "saltus.blocks." .. kind.name, doc = kind.doc }
      add_kind(page, kind)
      for _, variant in ipairs(kind.variants) do add_kind(page, variant) end
      pages[#pages + 1] = page
    end
  end
  return pages
end

return reference
