-- saltus doc [WORD]: opens the page of the documentation that says most about a word.
local files = require "saltus.util.files"
local complaint = require "saltus.cli.complaint"
local doc_pages = require "saltus.cli.doc_pages"
local names = require "saltus.util.names"
local process = require("saltus.core").process

local function quoted(path) return "'" .. path:gsub("'", "'\\''") .. "'" end

local function runs(program) return files.execute("command -v " .. program .. " >/dev/null 2>&1") == true end

-- The program that a variable of the environment names, or the first of a list that is installed; nil if none is.
local function program_of(variable, list)
  local chosen = os.getenv(variable)
  if chosen and chosen ~= "" then return chosen end
  for _, program in ipairs(list) do
    if runs(program) then return program end
  end
  return nil
end

-- The page of the site that `make site` writes from a page, if it was built.
local function site_page(page)
  local name = page.name:gsub("%.md$", "")
  local root = page.path:sub(1, #page.path - #page.name)
  local path = root .. "../build/site/html/" .. name .. ".html"
  local file = files.open(path, "r")
  if file then file:close() end
  return file and path
end

local function open(page)
  local html = site_page(page)
  local program = html and program_of("BROWSER", { "xdg-open", "open" })
  local path = program and html or page.path
  program = program or program_of("PAGER", { "less", "more" })
  if process.is_terminal(1) and program then return files.execute(program .. " " .. quoted(path)) end
  return nil
end

local function show_list(pages)
  for _, page in ipairs(pages) do complaint.say(page.path) end
  return complaint.SUCCESS
end

local function doc(args)
  local pages = doc_pages.list()
  complaint.raise_if(not pages[1], complaint.FAILED, "the documentation is not installed; it is docs/ of the source")
  if not args.word then return show_list(pages) end
  local found = doc_pages.find(args.word)
  if not found[1] then
    local known = names.map(pages, function(page) return page.name:match "([^/]+)%.md$" end)
    complaint.raise(complaint.USAGE, "%s", names.unknown("word %s in the documentation", args.word, known))
  end
  complaint.say(("%s: %s"):format(found[1].page.path, found[1].heading))
  if not args.print then open(found[1].page) end
  return complaint.SUCCESS
end

return {
  name = "doc", doc = "Open the page of the documentation that says most about a word; without one, list the pages.",
  arguments = { { name = "word", doc = "Any word, such as zeno.", optional = true } },
  options = { { name = "--print", doc = "Print the path of the page without opening it." } },
  run = doc,
}
