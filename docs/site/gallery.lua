-- The gallery: a page for each example with its opening comment, its picture and its source.
local files = require "docs.site.files"
local pictures = require "docs.site.pictures"

local gallery = {}

-- The opening comment: its prose, and the commands that it shows.
local function comment_of(source)
  local prose, commands = {}, {}
  for line in source:match("^(.-)\n[^-]"):gmatch "%-%-([^\n]*)" do
    local command = line:match "^   (.*)"
    if command then commands[#commands + 1] = command else prose[#prose + 1] = line:gsub("^ ", "") end
  end
  return table.concat(prose, "\n"), table.concat(commands, "\n")
end

-- Titles that are more than the words of the file name.
local TITLES = { ["van-der-pol"] = "Van der Pol", ["cart-pole"] = "Cart-pole",
  ["pendulum-constrained"] = "Constrained pendulum" }

local function title_of(name)
  local words = name:gsub("^%d+%-", "")
  if TITLES[words] then return TITLES[words] end
  words = words:gsub("-", " ")
  return words:sub(1, 1):upper() .. words:sub(2)
end

local function page_text(example, dir)
  local figure = pictures.figure(example.file, example.title, dir, "../")
  return ("# %s\n\n%s\n\n%s\n\n```sh\n%s\n```\n\n## The file\n\n`%s`\n\n```lua\n%s```\n"):format(example.title,
    example.prose, figure, example.commands, example.file, example.source)
end

function gallery.examples()
  local examples = {}
  for i, file in ipairs(files.list "examples/*.lua examples/*/*.lua") do
    local source, name = files.read(file), file:match "([^/]+)%.lua$"
    local prose, commands = comment_of(source)
    examples[i] = { file = file, name = name, title = title_of(name), source = source, prose = prose,
      commands = commands }
  end
  return examples
end

local function card(example, dir)
  local picture = pictures.still(example.file, dir)
  return ('<a href="%s.html"><img src="../%s" alt="" loading="lazy"><span>%s</span></a>'):format(example.name, picture,
    example.title)
end

function gallery.write(dir)
  local cards, examples = {}, gallery.examples()
  for i, example in ipairs(examples) do
    files.write(("%s/gallery/%s.md"):format(dir, example.name), page_text(example, dir))
    cards[i] = card(example, dir)
  end
  files.write(dir .. "/gallery/index.md", "# Gallery\n\nEach example is one file that runs.\n\n"
    .. '<div class="gallery">\n' .. table.concat(cards, "\n") .. "\n</div>\n")
  return examples
end

return gallery
