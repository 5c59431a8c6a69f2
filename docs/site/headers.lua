-- The C reference: a page for each public header, from its comments and declarations.
local files = require "docs.site.files"
local writer = require "docs.site.markdown_writer"

local headers = {}

-- A comment without its marks; lines that are indented further than its text remain lines.
local function text_of(comment)
  local lines = {}
  for text in (comment:gsub("^/%* ?", ""):gsub("%s*%*/%s*$", "") .. "\n"):gmatch "([^\n]*)\n" do
    lines[#lines + 1] = text:gsub("^ %* ?", ""):gsub("^ %*$", "")
  end
  return lines
end

-- Names that have an entry lead to it; `homes` has the page of each.
local function linked(text, homes)
  return (text:gsub("`([sS][aA][lL]_[%w_]+)`", function(name)
    return homes[name] and ("[`%s`](%s.md#%s)"):format(name, homes[name], name)
  end))
end

-- Markdown: paragraphs are prose, indented lines are code, and names of functions are code too.
local function markdown_of(comment, homes)
  local out = {}
  for _, text in ipairs(text_of(comment)) do
    if text:find "^%s" then
      if out[#out] and out[#out] ~= "" and not out[#out]:find "^    " then out[#out + 1] = "" end
      out[#out + 1] = "    " .. text:gsub("^%s+", function(blanks) return blanks:sub(3) end)
    else
      if out[#out] and out[#out]:find "^    " then out[#out + 1] = "" end
      local marked = text:gsub("`", ""):gsub("%f[%w_]([sS][aA][lL]_[%w_]+)", "`%1`")
      out[#out + 1] = linked(writer.prose(marked), homes)
    end
  end
  return table.concat(out, "\n")
end

local DECLARATIONS = { "SAL_API[^;(]-()([%w_]+)%(", "typedef [^;{]*%(%*()([%w_]+)%)", "} ()([%w_]+);",
  "typedef struct [%w_]+ ()([%w_]+);", "#define ()([%w_]+)" }

-- Names that a declaration declares: functions, types and constants.
local function names_of(code)
  local names, place = {}, {}
  for _, form in ipairs(DECLARATIONS) do
    for at, name in code:gmatch(form) do
      if not place[name] then names[#names + 1] = name end
      place[name] = place[name] or at
    end
  end
  table.sort(names, function(a, b) return place[a] < place[b] end)
  return names[1] and names or { code:match "enum {%s*([%w_]+)" }
end

local function is_machinery(line)
  return line:find "^#include" or line:find "^#i?f?n?def SALTUS" or line:find "^#ifndef SALTUS" or line:find "^#endif"
    or line:find "^SAL_[A-Z]+_DECLARATIONS"
end

-- Entries { comment =, code = }: a comment at the margin begins one, and so does a blank line.
local function entries_of(text)
  local entries, entry, in_comment = {}, nil, false
  local function open() entry = { comment = "", code = "" } entries[#entries + 1] = entry end
  for line in text:gmatch "([^\n]*)\n" do
    local starts = line:find "^/%*"
    if line == "" and not in_comment and not (entry and entry.depth) then
      entry = nil
    elseif not is_machinery(line) then
      if starts or not entry then open() end
      in_comment = in_comment or starts ~= nil
      local part = in_comment and "comment" or "code"
      entry[part] = entry[part] .. line .. "\n"
      if part == "code" then entry.depth = line:find "^}" and nil or entry.depth or (line:find "{$" and true) or nil end
      if in_comment and line:find "%*/" then in_comment = false end
    end
  end
  return entries
end

local function title_of(names)
  local shown = {}
  for i = 1, math.min(#names, 3) do shown[i] = "`" .. names[i] .. "`" end
  return table.concat(shown, ", ") .. (#names > 3 and " ..." or "")
end

local function entry_text(entry, homes)
  local names = names_of(entry.code)
  local out = {}
  if names[1] then out[1] = ("## %s {#%s}\n"):format(title_of(names), names[1]) end
  for i = 2, #names do out[#out + 1] = ('<a id="%s"></a>'):format(names[i]) end
  if entry.code ~= "" then out[#out + 1] = "\n```c\n" .. entry.code .. "```\n" end
  if entry.comment ~= "" then out[#out + 1] = markdown_of(entry.comment, homes) .. "\n" end
  return table.concat(out, "\n")
end

local function name_of(path) return path:match "([^/]+)%.h$" end

-- { name =, doc =, text = } of one header.
function headers.page(path, homes)
  local name, entries = name_of(path), entries_of(files.read(path))
  local top = table.remove(entries, 1)
  local out = { ("# %s.h\n\n```c\n#include <saltus/%s.h>\n```\n\n%s\n"):format(name, name,
    markdown_of(top.comment, homes)) }
  for _, entry in ipairs(entries) do out[#out + 1] = entry_text(entry, homes) end
  local first = table.concat(text_of(top.comment), " "):match "^(.-[.:]) "
  return { name = name, doc = first or name, text = table.concat(out, "\n") }
end

-- The page of each name that a header declares.
local function homes_of(paths)
  local homes = {}
  for _, path in ipairs(paths) do
    for _, entry in ipairs(entries_of(files.read(path))) do
      for _, name in ipairs(names_of(entry.code)) do homes[name] = homes[name] or name_of(path) end
    end
  end
  return homes
end

function headers.pages()
  local pages, paths = {}, files.list "src/include/saltus/*.h"
  local homes = homes_of(paths)
  for i, path in ipairs(paths) do pages[i] = headers.page(path, homes) end
  return pages
end

return headers
