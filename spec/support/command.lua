-- Runs the command `saltus` as a process of the Lua that runs the specs, in a folder that is removed.
local assert = require "luassert"
local slurp = require "spec.support.slurp"

local command = {}
command.__index = command

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- A new folder with files = { [name] = text, ... }, or empty: write(name, text), path(name), read(name),
-- lua(arguments), saltus(...), remove(). environment: "NAME=value" for what it runs.
function command.new(files)
  local folder = os.tmpname()
  os.remove(folder)
  os.execute("mkdir -p " .. folder)
  local self = setmetatable({ folder = folder, here = io.popen("pwd"):read "l" }, command)
  for name, text in pairs(files or {}) do self:write(name, text) end
  return self
end

function command:path(name) return self.folder .. "/" .. name end

function command:read(name) return slurp(self:path(name)) end

-- Writes a file; returns its path.
function command:write(name, text)
  local path = self:path(name)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  return path
end

-- A path of package.path that is valid in any folder.
function command:absolute(list) return (list:gsub("%f[^;\0]%./", self.here .. "/")) end

-- The Lua that runs the specs, which may be a path of this folder.
function command:interpreter()
  local lua = os.getenv "SALTUS_LUA" or "lua5.4"
  return lua:find "^[^/].*/" and self.here .. "/" .. lua or lua
end

-- Returns status, stdout, stderr. how: input (a text), inside = true (the process runs in the folder).
function command:lua(arguments, how)
  how = how or {}
  self:write("in", how.input or "")
  local there = how.inside and "cd " .. self.folder .. " && " or ""
  local paths = ("LUA_PATH=%s LUA_CPATH=%s"):format(quote(self:absolute(package.path)),
    quote(self:absolute(package.cpath)))
  if self.environment then paths = self.environment .. " " .. paths end
  local line = ("%s%s %s %s <%s/in >%s/out 2>%s/err"):format(there, paths, self:interpreter(), arguments, self.folder,
    self.folder, self.folder)
  local _, _, status = os.execute(line)
  return status, self:read "out", self:read "err"
end

-- `saltus` with a list of words.
function command:run(words, how)
  local list = { "-e", quote 'os.exit(require("saltus.cli.main").main(arg), true)', "/dev/null" }
  for _, word in ipairs(words) do list[#list + 1] = quote(word) end
  return self:lua(table.concat(list, " "), how)
end

function command:saltus(...) return self:run { ... } end

-- `saltus` with these words must end with that status, and its complaint match the pattern.
function command:fails(code, pattern, ...)
  local status, _, err = self:saltus(...)
  assert.equal(code, status, err)
  assert.matches(pattern, err)
end

function command:remove() os.execute("rm -rf " .. self.folder) end

return command
