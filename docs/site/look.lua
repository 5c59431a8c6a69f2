-- look.lua DIR [PATTERN]: opens the built pages from their files in headless chromium, where no host resolves. Prints
-- each message of a console, checks that the search finds a word, and exits 1 if anything is wrong.
local files = require "docs.site.files"

local dir, pattern = assert(arg[1], "look.lua DIR [PATTERN]"), arg[2] or ""

local BROWSER = [[timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir='%s'
  --enable-logging=stderr --host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=4000 --dump-dom 'file://%s%s'
  2>'%s']]

local function absolute(path)
  local pipe = assert(io.popen(("cd '%s' && pwd"):format(path)))
  local folder = pipe:read "l"
  pipe:close()
  return folder
end

local scratch = os.tmpname()
os.remove(scratch)
assert(os.execute("mkdir " .. scratch))

-- Returns the page as the browser has built it, and a list of the console's messages.
local function opened(path, query)
  local log = scratch .. "/log"
  local pipe = assert(io.popen((BROWSER:gsub("\n", " "):format(scratch .. "/profile", path, query or "", log))))
  local dom, messages = pipe:read "a", {}
  pipe:close()
  for line in files.read(log):gmatch "[^\n]+" do
    if line:find "CONSOLE" then messages[#messages + 1] = line:match "CONSOLE[^%]]*%]%s*(.*)" or line end
  end
  return dom, messages
end

local faults = 0
local function wrong(...)
  faults = faults + 1
  io.stderr:write(table.concat({ ... }, ": "), "\n")
end

local root, count = absolute(dir), 0
for _, path in ipairs(files.list(("%s/*.html %s/*/*.html"):format(root, root))) do
  local name = path:sub(#root + 2)
  if name:find(pattern) and not name:find "^pictures/" and not name:find "^playground/" and name ~= "404.html" then
    local dom, messages = opened(path)
    count = count + 1
    if not dom:find("md-content", 1, true) then wrong(name, "the browser shows nothing") end
    for _, message in ipairs(messages) do wrong(name, message) end
  end
end

local results = opened(root .. "/index.html", "?q=witness")
local found = select(2, results:gsub("md%-search%-result__item", ""))
if found == 0 then wrong("search", "nothing found for 'witness'") end
os.execute("rm -rf " .. scratch)
print(("%d pages opened, %d results of a search, %d faults"):format(count, found, faults))
os.exit(faults == 0)
