-- The pages of the documentation: Markdown files of a clone, an installation or a rock.
local files = require "saltus.util.files"
local process = require("saltus.core").process

local doc_pages = {}

local own_folder = require("saltus.core").getinfo(1, "S").source:match "^@(.*)[/\\][^/\\]*$" or "."

-- Where the pages are, relative to this file: in a clone, after `make install`, and in a rock.
local places = { "/../../../docs", "/../../../../doc/saltus/docs",
  "/../../../../../lib/luarocks/rocks-5.4/saltus/scm-1/docs" }

local function collect(folder, prefix, list)
  local found = process.list_folder(folder) or {}
  table.sort(found)
  for _, name in ipairs(found) do
    if name:find "/$" then
      collect(folder .. "/" .. name:sub(1, -2), prefix .. name, list)
    elseif name:find "%.md$" then
      list[#list + 1] = { name = prefix .. name, path = folder .. "/" .. name }
    end
  end
  return list
end

-- "lua/saltus/../docs" as "lua/docs".
local function without_steps_back(path)
  local count
  repeat
    path, count = path:gsub("/([^/]+)/%.%./", function(name) return name ~= ".." and "/" or nil end, 1)
  until count == 0 or not path:find "/[^/.][^/]*/%.%./"
  return path
end

-- Returns { { name = "runs.md", path = }, ... }; empty if the pages are not installed.
function doc_pages.list()
  for _, place in ipairs(places) do
    local list = collect(without_steps_back(own_folder .. place), "", {})
    if list[1] then return list end
  end
  return {}
end

-- The sections of a page: { { heading =, text =, page = }, ... }; text in lines of code counts too.
local function sections_of(page)
  local file = files.open(page.path, "r")
  if not file then return {} end
  local list, in_code = {}, false
  for line in file:lines() do
    if line:find "^```" then in_code = not in_code end
    local heading = not in_code and line:match "^#+%s+(.*)$"
    if heading or #list == 0 then list[#list + 1] = { heading = heading or page.name, page = page, lines = {} } end
    if not heading then table.insert(list[#list].lines, line) end
  end
  file:close()
  for _, section in ipairs(list) do section.text = table.concat(section.lines, "\n") end
  return list
end

-- How often a word begins in a text, without regard to case.
local function count(text, word)
  local pattern = "%f[%w]" .. word:lower():gsub("%p", "%%%0")
  return select(2, text:lower():gsub(pattern, ""))
end

-- The sections that contain a word, the best first: { { heading =, page = { name =, path = }, score = }, ... }.
function doc_pages.find(word)
  if not word:find "%w" then return {} end
  local found = {}
  for _, page in ipairs(doc_pages.list()) do
    local named = count(page.name, word) > 0 and 40 or 0
    for i, section in ipairs(sections_of(page)) do
      local score = math.min(count(section.text, word), 8) + 20 * count(section.heading, word) + (i == 1 and named or 0)
      if score > 0 then found[#found + 1] = { heading = section.heading, page = page, score = score } end
    end
  end
  table.sort(found, function(a, b)
    if a.score ~= b.score then return a.score > b.score end
    return a.page.name .. a.heading < b.page.name .. b.heading
  end)
  return found
end

return doc_pages
