-- check_links.lua DIR: every link of the built pages leads somewhere, anchors too, and no page loads anything from
-- elsewhere. Prints what is wrong and exits 1.
local check_links = {}

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

local function pages_in(dir)
  local pipe, pages = assert(io.popen(("find '%s' -name '*.html' | sort"):format(dir))), {}
  for path in pipe:lines() do pages[#pages + 1] = path end
  pipe:close()
  return pages
end

local function decoded(url)
  url = url:gsub("&amp;", "&"):gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  return url
end

-- "a/b/../c" is "a/c".
local function normal(path)
  local parts = {}
  for part in path:gmatch "[^/]+" do
    if part == ".." and parts[1] then parts[#parts] = nil elseif part ~= "." then parts[#parts + 1] = part end
  end
  return (path:find "^/" and "/" or "") .. table.concat(parts, "/")
end

local function has_anchor(text, anchor)
  return anchor == "" or text:find(' id="' .. anchor .. '"', 1, true) or text:find(" id=" .. anchor .. "[ >]")
    or text:find(' name="' .. anchor .. '"', 1, true)
end

-- What is wrong with one link of a page, or nil. The 404 page has links from the root of a server.
local function wrong_with(page, text, tag, url)
  if url:find "^data:" or url:find "^mailto:" or url:find "^javascript:" then return nil end
  if url:find "^%a[%w+.-]*:" or url:find "^//" then
    return tag ~= "a" and ("%s: <%s> loads %s"):format(page, tag, url) or nil
  end
  local path, anchor = decoded(url):match "^([^#?]*)[^#]*#?(.*)$"
  local file = path == "" and page or normal((path:find "^/" and "" or page:match "^(.*/)") .. path)
  local target = path == "" and text or read(file)
  if not target then return ("%s: no file for %s"):format(page, url) end
  if file:find "%.html$" and not has_anchor(target, anchor) then return ("%s: no anchor for %s"):format(page, url) end
end

-- A list of texts, empty for sound pages.
function check_links.faults(dir)
  local faults = {}
  for _, page in ipairs(pages_in(dir)) do
    local text = read(page):gsub("<!%-%-.-%-%->", "")
    for tag, words in text:gmatch "<(%a+)(%s[^>]*)>" do
      for name, url in words:gmatch '%s(%a+)="([^"]*)"' do
        local is_link = name == "href" or name == "src"
        faults[#faults + 1] = is_link and not page:find "404%.html$" and wrong_with(page, text, tag, url) or nil
      end
    end
  end
  return faults, #pages_in(dir)
end

if arg and arg[0] and arg[0]:find "check_links%.lua$" then
  local faults, count = check_links.faults((assert(arg[1], "check_links.lua DIR")))
  for _, fault in ipairs(faults) do io.stderr:write(fault, "\n") end
  print(("%d pages, %d faults"):format(count, #faults))
  os.exit(#faults == 0)
end

return check_links
