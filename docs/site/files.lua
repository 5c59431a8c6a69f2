-- Files of a build: reading, writing with all folders on the way, copying, listing.
local files = {}

function files.read(path)
  local file <close> = assert(io.open(path, "rb"))
  return (file:read "a")
end

function files.exists(path)
  local file <close> = io.open(path, "rb")
  return file ~= nil
end

local made = {}

local function make_folder(path)
  if made[path] then return end
  assert(os.execute(("mkdir -p '%s'"):format(path)))
  made[path] = true
end

function files.write(path, text)
  make_folder(path:match "^(.*)/" or ".")
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(text))
end

function files.copy(from, to) files.write(to, files.read(from)) end

-- Paths of files, sorted; `pattern` is one of the shell.
function files.list(pattern)
  local pipe, list = assert(io.popen("ls -d " .. pattern .. " 2>/dev/null")), {}
  for path in pipe:lines() do list[#list + 1] = path end
  pipe:close()
  return list
end

return files
