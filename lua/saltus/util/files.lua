-- The one door to files and other programs: no other file of lua/saltus opens them. A host closes it for its scripts
-- by sal_script_set_files(L, false), or opens no `io` and no `os`. docs/sandbox.md
local core = require "saltus.core"

local files = {}

local CLOSED = "the host of this script allows no files"
files.CLOSED = CLOSED

-- Whether files can be used.
function files.are_allowed() return io ~= nil and os ~= nil and core.files_allowed() end

-- A function that does what `act` does, or returns nil and the reason why it may not.
local function guarded(act)
  return function(...)
    if not files.are_allowed() then return nil, CLOSED end
    return act(...)
  end
end

files.open = guarded(function(path, mode) return io.open(path, mode) end)
files.popen = guarded(function(command, mode) return io.popen(command, mode) end)
files.execute = guarded(function(command) return os.execute(command) end)
files.rename = guarded(function(from, to) return os.rename(from, to) end)
files.remove = guarded(function(path) return os.remove(path) end)

-- Whether a file, or a folder, can be opened.
function files.exists(path)
  local file = files.open(path, "r")
  if file then file:close() end
  return file ~= nil
end

local PIECE, MOST_OF_FILE, MOST_OF_STREAM = 1 << 20, 4 << 30, 64 << 20 -- bytes

-- The text of a pipe or a device, which may not end.
local function stream_text(file, path)
  local pieces = {}
  for k = 1, MOST_OF_STREAM // PIECE do
    local piece, why = file:read(PIECE)
    if why then return nil, ("%s: %s"):format(path, why) end
    if not piece then return table.concat(pieces) end
    pieces[k] = piece
  end
  return nil, ("%s: it is no regular file, and does not end within 64 MiB; name a file"):format(path)
end

local function open_text(file, path)
  local size = file:seek "end" or 0
  file:seek "set"
  local _, why = file:read(0)
  if why then return nil, ("%s: %s"):format(path, why) end
  if size == 0 then return stream_text(file, path) end
  if size > MOST_OF_FILE then return nil, ("%s: it has more than 4 GiB; name a smaller file"):format(path) end
  return file:read "a"
end

-- The whole content of a file or a pipe; nil and the reason, which begins with the path.
function files.read(path)
  local file, why = files.open(path, "rb")
  if not file then return nil, why end
  local text, broken = open_text(file, path)
  file:close()
  return text, broken
end

-- A variable of the process's environment, or nil.
function files.environment(name) return os and os.getenv and os.getenv(name) end

-- Standard output; nil, and the reason, where files are closed.
files.output = guarded(function() return io.stdout end)

return files
