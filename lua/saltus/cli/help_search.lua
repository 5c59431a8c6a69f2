-- Finds any word in the help: names, descriptions, options of commands, blocks and the documentation.
local blocks = require "saltus.blocks"
local doc_pages = require "saltus.cli.doc_pages"
local help = require "saltus.cli.help"

local help_search = {}

local MOST = 12 -- rows of each kind

-- All rows of the help: { topic =, name =, doc = }.
local function all_rows(commands)
  local rows, seen = {}, {}
  local function add(topic, name, doc) -- an option of a block and of its variants is one row
    if seen[topic .. ":" .. name] then return end
    seen[topic .. ":" .. name] = true
    rows[#rows + 1] = { topic = topic, name = name, doc = doc or "" }
  end
  for _, topic in ipairs(help.names()) do
    local page = help.page(topic)
    add(topic, topic, page.doc)
    for _, part in ipairs(page) do
      for _, row in ipairs(part.rows or {}) do add(topic, row[1], row[#row]) end
    end
  end
  for _, command in ipairs(commands) do
    add(command.name, "saltus " .. command.name, command.doc)
    for _, option in ipairs(command.options or {}) do add(command.name, option.name, option.doc) end
  end
  for _, row in ipairs(require "saltus.cli.exit_status") do add("man", "exit status " .. row[1], row[2]) end
  for _, kind in ipairs(blocks.kinds()) do
    local public = kind.instead_of or kind.name
    if not kind.instead_of then add(public, "blocks." .. public, kind.doc) end
    for _, option in ipairs(kind.options) do add(public, public .. "." .. option.name, option.doc) end
  end
  return rows
end

-- 3: the word is a name; 2: a name has it; 1: a description has it; nil: nothing.
local function score(row, word)
  local pattern = "%f[%w]" .. word:gsub("%p", "%%%0")
  local name = row.name:lower():gsub("^blocks%.", ""):gsub("^saltus ", "")
  if name == word or name:match "^[%w_]+" == word then return 3 end
  if name:find(pattern) or name:gsub("_", " "):find(pattern) then return 2 end
  return row.doc:lower():find(pattern) and 1 or nil
end

-- Returns the rows that have the word, the best first.
function help_search.rows(word, commands)
  if not word:find "%w" then return {} end
  local found, of = {}, {}
  for i, row in ipairs(all_rows(commands)) do
    local s = score(row, word:lower())
    if s then
      found[#found + 1] = row
      of[row] = s * 10000 - i
    end
  end
  table.sort(found, function(a, b) return of[a] > of[b] end)
  return found
end

-- Every name that the help knows, for near names.
function help_search.names(commands)
  local list, seen = {}, {}
  for _, row in ipairs(all_rows(commands)) do
    local name = row.name:gsub("^blocks%.", ""):gsub("^saltus ", "")
    name = name:match "[%a_][%w_]*$" or name:match "^[%a_][%w_]*"
    if name and not seen[name] then seen[name], list[#list + 1] = true, name end
  end
  return list
end

local function shortened(text, width)
  if #text <= width then return text end
  return text:sub(1, width - 3):gsub("[\xC0-\xFF]?[\x80-\xBF]*$", ""):gsub("%s+%S*$", "") .. " ..."
end

local function print_rows(rows, say)
  for i = 1, math.min(#rows, MOST) do
    local row = rows[i]
    local head = ("  %-14s %-28s"):format(row.topic, shortened(row.name, 28))
    say(head .. " " .. shortened(row.doc, 118 - #head))
  end
  if #rows > MOST then say(("  ... and %d more"):format(#rows - MOST)) end
end

-- Says where the word occurs; false if nowhere.
function help_search.explain(word, commands, say)
  local rows, sections = help_search.rows(word, commands), doc_pages.find(word)
  if not rows[1] and not sections[1] then return false end
  if rows[1] then
    say(("\"%s\" in the help; 'saltus help TOPIC' explains the first word of a line:"):format(word))
    print_rows(rows, say)
  end
  if sections[1] then
    say(("%s\"%s\" in the documentation; 'saltus doc %s' opens the first:"):format(rows[1] and "\n" or "", word, word))
    for i = 1, math.min(#sections, 6) do
      say(("  %-24s %s"):format(sections[i].page.name, sections[i].heading))
    end
  end
  return true
end

return help_search
