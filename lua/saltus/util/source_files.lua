-- The files that a scenario consists of: its own, and the modules that it requires from its folder.
local files = require "saltus.util.files"
local names = require "saltus.util.names"

local source_files = {}

local SourceFiles = {}
SourceFiles.__index = SourceFiles

local MOST = 4 * 1024 * 1024 -- bytes of a file that are compared

-- A pipe has none: it can be read once only.
local function content(path)
  local file = files.open(path, "rb")
  local text = file and file:seek "end" and file:seek "set" and file:read(MOST)
  if file then file:close() end
  return text
end

function source_files.new(path)
  return setmetatable({ path = path, folder = (path:match "^(.*[/\\])[^/\\]*$" or "./"), modules = {}, loaded = {},
    seen = {} }, SourceFiles)
end

-- Calls load(), with the modules of the folder as they are on disk now; returns what it returns.
function SourceFiles:load(load)
  for name in pairs(self.modules) do package.loaded[name] = nil end
  local before = {}
  for name in pairs(package.loaded) do before[name] = true end
  self.loaded = { [self.path] = content(self.path) }
  for _, file in pairs(self.modules) do self.loaded[file] = content(file) end -- load() may last, and they may change
  local results = table.pack(pcall(load))
  for name in pairs(package.loaded) do
    local file = not before[name] and package.searchpath(name, package.path)
    if file and file:sub(1, #self.folder) == self.folder then
      self.modules[name] = file
      self.loaded[file] = self.loaded[file] or content(file)
    end
  end
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

-- The text of the file, and of the modules in the order of their names.
function SourceFiles:text()
  local texts = { self.loaded[self.path] }
  for _, name in ipairs(names.sorted_keys(self.modules)) do
    texts[#texts + 1] = ("\0%s\0%s"):format(name, self.loaded[self.modules[name]])
  end
  return table.concat(texts)
end

-- Whether a file has another content than when it was loaded. An editor may write in several pieces: the content counts
-- once it is the same in two calls.
function SourceFiles:changed()
  local changed = false
  for file, before in pairs(self.loaded) do
    local now = content(file)
    if now and now ~= before and now == self.seen[file] then changed = true end
    self.seen[file] = now
  end
  return changed
end

return source_files
