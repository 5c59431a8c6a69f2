-- Writes the library as one header and one source file, which compile without any flag:
--
--   lua5.4 packaging/amalgamate.lua FOLDER FILE.c ... [--minimal FILE.c ...] [--whole FILE.c ...]
--
-- writes FOLDER/saltus.h, the public headers, and FOLDER/saltus.c, the internal headers and the files. A name that
-- belongs to one file (static, typedef, enum, macro) and that another file uses too gets the file's name in front.
-- Files after --minimal are compiled only with SAL_MINIMAL, those after --whole only without.
package.path = "./?.lua;" .. package.path
local local_names = require "packaging.local_names"
local tokens = require "packaging.tokens"

local INCLUDE_FOLDERS = { "src/include/", "src/" }
local CONDITIONAL = { ["stdatomic.h"] = true, ["signal.h"] = true } -- some compilers lack them
local PUBLIC = "src/include/saltus/"

local function slurp(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

local function exists(path)
  local file = io.open(path)
  return file and file:close()
end

local function find_header(name, from)
  local beside = from:match "^(.*/)" .. name
  if exists(beside) then return beside end
  for _, folder in ipairs(INCLUDE_FOLDERS) do
    if exists(folder .. name) then return folder .. name end
  end
  error(from .. " includes " .. name .. ", which is nowhere")
end

-- All sources: each header once, before the first file that includes it; also by path, and the headers that one file
-- alone includes, by that file.
local function read_all(files)
  local list, by_path, includers, of_one = {}, {}, {}, {}
  local function visit(path)
    if by_path[path] then return end
    local source = { path = path, text = slurp(path), is_header = path:match "%.h$" ~= nil }
    by_path[path] = source
    for name in source.text:gmatch '#include "([^"]+)"' do
      local header = find_header(name, path)
      includers[header] = includers[header] and "many" or path
      visit(header)
    end
    list[#list + 1] = source
  end
  for _, path in ipairs(files) do visit(path) end
  for header, path in pairs(includers) do
    of_one[path] = of_one[path] or {}
    table.insert(of_one[path], by_path[header])
  end
  return list, by_path, of_one
end

local function banner(path) return ("\n/* ---- %s ---- */\n\n"):format(path:gsub("^src/", ""):gsub("^include/", "")) end

local function without_guard(text)
  return (text:gsub("#ifndef ([%w_]+_H)\n#define %1\n", "", 1):gsub("#endif%s*$", ""))
end

-- A source with the headers that it includes in their places, each header once in all of `included`.
local function expanded(source, text, by_path, included)
  if source.is_header then text = without_guard(text) end
  text = text:gsub('#include ([<"])([^>"]+)[>"][^\n]*\n', function(mark, name)
    local path = mark == "<" and name or find_header(name, source.path)
    if included[path] then return "" end
    included[path] = true
    local header = by_path[path]
    if header then return banner(path) .. expanded(header, header.text, by_path, included) end
  end)
  return (text:gsub("\n\n\n+", "\n\n"))
end

-- "delay_history" of src/engine/delay/history.c, when there is another history.c; "history" when there is none.
local function prefixes_of(path, stems)
  local stem, whole = path:match "([^/]+)%.c$", path:gsub("^src/", ""):gsub("%.c$", ""):gsub("/", "_")
  return stems[stem] == 1 and { stem, whole } or { whole }
end

local function new_name(name, uses, prefixes)
  for _, prefix in ipairs(prefixes) do
    local new = (name:match "%l" and prefix or prefix:upper()) .. "_" .. name
    if not uses[new] then return new end
  end
  error("no name is free for " .. name .. " of " .. prefixes[#prefixes])
end

-- How many sources use each identifier.
local function uses_of(order)
  local uses, stems = {}, {}
  for _, source in ipairs(order) do
    source.tokens = tokens.of(source.text)
    local mine = {}
    for _, token in ipairs(source.tokens) do
      if token.is_name and not token.is_member then mine[token.text] = true end
    end
    for name in pairs(mine) do uses[name] = (uses[name] or 0) + 1 end
    local stem = source.path:match "([^/]+)%.c$"
    if stem then stems[stem] = (stems[stem] or 0) + 1 end
  end
  return uses, stems
end

local function renames_of(names, uses, prefixes)
  local renames = {}
  for name in pairs(names) do
    if uses[name] > 1 and not name:lower():match "^sal_" then renames[name] = new_name(name, uses, prefixes) end
  end
  return renames
end

local function sorted(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return list
end

local function write(path, parts)
  local file = assert(io.open(path, "w"))
  file:write(table.concat(parts))
  assert(file:close())
end

-- The files of the command line, and by path the condition under which each is compiled.
local CONDITIONS = { ["--minimal"] = "#ifdef SAL_MINIMAL\n", ["--whole"] = "#ifndef SAL_MINIMAL\n" }
local function files_of(arguments)
  local files, conditions, condition = { PUBLIC .. "saltus.h" }, {}, nil
  for i = 2, #arguments do
    if CONDITIONS[arguments[i]] then
      condition = CONDITIONS[arguments[i]]
    else
      files[#files + 1], conditions[arguments[i]] = arguments[i], condition
    end
  end
  return files, conditions
end

local folder = assert(arg[1], "usage: lua5.4 packaging/amalgamate.lua FOLDER FILE.c ...")
local files, conditions = files_of(arg)
local sources, by_path, headers_of_one_file = read_all(files)
local is_of_one_file = {}
for _, headers in pairs(headers_of_one_file) do
  for _, header in ipairs(headers) do is_of_one_file[header.path] = true end
end
local uses, stems = uses_of(sources)
local static_macros = local_names.static_macros(sources)

-- A file in which names that others use too have others, and whose macros end with it. A header of this file alone,
-- such as a table of coefficients, gets the same names.
local function as_part(source)
  local names, macros = local_names.of(source.tokens, static_macros)
  local own = headers_of_one_file[source.path] or {}
  for _, header in ipairs(own) do
    for name in pairs((local_names.of(header.tokens, static_macros))) do names[name] = true end
  end
  local renames = renames_of(names, uses, prefixes_of(source.path, stems))
  for _, header in ipairs(own) do header.text = tokens.renamed(header.tokens, renames) end
  local ends = {}
  for _, name in ipairs(sorted(macros)) do ends[#ends + 1] = "#undef " .. (renames[name] or name) .. "\n" end
  return tokens.renamed(source.tokens, renames) .. table.concat(ends)
end

local version = slurp(PUBLIC .. "status.h"):match '#define SAL_VERSION "([^"]+)"'
local notice = ("/* Saltus %s: the library as one file, made by `make amalgamation`.\n *\n"):format(version) ..
  slurp("LICENSE"):gsub("\n$", ""):gsub("[^\n]+", " * %0"):gsub("\n\n", "\n *\n") .. " */\n"
local included = {}
local all = by_path[PUBLIC .. "saltus.h"]
write(folder .. "/saltus.h", { notice, "#ifndef SALTUS_H\n#define SALTUS_H\n",
  expanded(all, all.text, by_path, included), "\n#endif\n" })
-- The standard headers come first: what they declare is not hidden.
local function standard_headers()
  local set = {}
  for _, source in ipairs(sources) do
    for name in source.text:gmatch "\n#include <(%w+%.h)>" do set[name] = true end
  end
  local lines = {}
  for _, name in ipairs(sorted(set)) do
    if not CONDITIONAL[name] then lines[#lines + 1], included[name] = "#include <" .. name .. ">\n", true end
  end
  return table.concat(lines)
end

local body = { notice, standard_headers(), "\n", slurp "packaging/amalgamation_start.h" }
-- The headers come first, whatever the condition of the first file is that includes them.
for _, source in ipairs(sources) do
  for name in (source.is_header and "" or source.text):gmatch '#include "([^"]+)"' do
    local path = find_header(name, source.path)
    if not included[path] and not is_of_one_file[path] then
      included[path] = true
      body[#body + 1] = banner(path) .. expanded(by_path[path], by_path[path].text, by_path, included)
    end
  end
end
for _, source in ipairs(sources) do
  if not source.is_header then
    local condition = conditions[source.path]
    body[#body + 1] = banner(source.path) .. (condition or "")
      .. expanded(source, as_part(source), by_path, included) .. (condition and "#endif\n" or "")
  end
end
write(folder .. "/saltus.c", body)
