-- A page of docs/ as the site has it: pictures are drawn, and links that leave docs/ lead to pages of the site.
local files = require "docs.site.files"
local pictures = require "docs.site.pictures"

local page = { PLAYGROUND = "build/playground/index.html" } -- `make site` writes it before

-- Where files outside of docs/ are found on the site, as paths from its root.
local elsewhere = { ["CHANGELOG.md"] = "changes.md", ["CONTRIBUTING.md"] = "contributing.md",
  ["SECURITY.md"] = "security.md", ["LICENSE"] = "licence.md", ["examples"] = "gallery/index.md",
  ["examples/simpy"] = "gallery/index.md", ["README.md"] = "index.md" }

-- "../../examples/x.lua" seen from docs/tutorial/1-ball.md is "examples/x.lua".
local function resolved(target, from)
  local parts = {}
  for part in ((from:match "^(.*)/" or ".") .. "/" .. target):gmatch "[^/]+" do
    if part == ".." then parts[#parts] = nil elseif part ~= "." then parts[#parts + 1] = part end
  end
  return table.concat(parts, "/")
end

local function on_site(path)
  local example = path:match "^examples/([%w-]+)%.lua$" or path:match "^examples/[%w-]+/([%w-]+)%.lua$"
  if example then return "gallery/" .. example .. ".md" end
  return elsewhere[path] or path:match "^docs/(.*)"
end

-- from: the page's path in the repository; at: its path on the site.
local function moved_links(text, from, at)
  local up = ("../"):rep(select(2, at:gsub("/", "")))
  return (text:gsub("%]%(([^)%s]+)%)", function(target)
    local path, anchor = target:match "^([^#]*)(.*)$"
    if path == "" or path:find "^%a+:" then return nil end
    local file = on_site(resolved(path, from))
    if not file then error(("%s: the site has no page for the link to %s"):format(from, target)) end
    return ("](%s%s%s)"):format(up, file, anchor)
  end))
end

-- An image on the line after the request is for readers outside of the site.
local function with_pictures(text, dir, at)
  local up = ("../"):rep(select(2, at:gsub("/", "")))
  return (text:gsub("<!%-%- picture: (.-) | (.-) %-%->\n(!?[^\n]*)", function(words, caption, line)
    words, caption = words:gsub("%s+", " "), caption:gsub("%s+", " ")
    return pictures.figure(words, caption, dir, up) .. "\n" .. (line:find "^!" and "" or line)
  end))
end

-- The line after the request says how readers get the playground where it is not on the site.
local function with_playground(text)
  if not files.exists(page.PLAYGROUND) then return text end
  return (text:gsub("<!%-%- playground %-%->\n[^\n]*", '<a href="playground/index.html">Open the playground.</a>'))
end

-- Samples with a title are files that the page's pictures may show.
local function write_samples(text, dir)
  for title, source in text:gmatch '\n```lua title="([%w_]+%.lua)"\n(.-)\n```\n' do
    files.write(dir .. "/samples/" .. title, source .. "\n")
  end
end

-- Writes the page `from` of the repository as the page `at` of the site.
function page.write(from, at, dir)
  local text = files.read(from)
  write_samples(text, dir)
  files.write(dir .. "/" .. at, moved_links(with_playground(with_pictures(text, dir, at)), from, at))
end

return page
