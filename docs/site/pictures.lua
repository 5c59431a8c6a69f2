-- Pictures of examples: `saltus run` draws them into the build, each once.
--
-- A page asks for one by a line of its own, which is invisible where the page is not built. The file is an example, or
-- a sample of the page with that title:
--   <!-- picture: examples/03-thermostat.lua --set outside=-15 | The heater at -15 degrees -->
-- A scenario with `draw` gives a page that moves, all others a plot.
local files = require "docs.site.files"

local pictures = {}

local saltus = (os.getenv "BUILD" or "build") .. "/bin/saltus"

local function said(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  pipe:close()
  return text
end

local can_move -- whether `saltus run` has --animate

local function moves(file)
  if can_move == nil then can_move = said(saltus .. " run --help"):find("--animate", 1, true) ~= nil end
  return can_move and files.read(file):find "%f[%w]draw%s*=" ~= nil
end

local function run(words, option, path)
  files.write(path, "") -- makes its folder
  os.remove(path)
  local command = ("%s run %s --%s '%s' 2>&1"):format(saltus, words, option, path)
  local pipe = assert(io.popen(command))
  local printed = pipe:read "a"
  if not pipe:close() then error(command .. "\n" .. printed) end
end

-- Draws what the words of `saltus run` say. Returns the path below `dir`, and whether it moves.
local function drawn(words, dir, still)
  local command = words:gsub("^[%w_]+%.lua", dir .. "/samples/%0")
  local moving = not still and moves(command:match "%S+")
  local name = words:gsub("^examples/", ""):gsub("%.lua", ""):gsub("[^%w]+", "-")
  local path = ("pictures/%s.%s"):format(name, moving and "html" or "svg")
  local known <close> = io.open(dir .. "/" .. path)
  if not known then run(command, moving and "animate" or "plot", dir .. "/" .. path) end
  return path, moving
end

function pictures.still(words, dir) return (drawn(words, dir, true)) end

local function escaped(text)
  return (text:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

-- The figure for a page whose way up to the root is `up`.
function pictures.figure(words, caption, dir, up)
  local path, moving = drawn(words, dir)
  local target = up .. path
  local seen = moving and ('<iframe src="%s" title="%s" loading="lazy"></iframe>'):format(target, escaped(caption))
    or ('<img src="%s" alt="%s" loading="lazy">'):format(target, escaped(caption))
  local alone = moving and ('<br><a href="%s">Open this page</a>'):format(target) or ""
  return ('<figure class="picture">\n%s\n<figcaption>%s%s</figcaption>\n</figure>'):format(seen, escaped(caption),
    alone)
end

return pictures
