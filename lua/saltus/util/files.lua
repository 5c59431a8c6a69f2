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

-- A variable of the process's environment, or nil.
function files.environment(name) return os and os.getenv and os.getenv(name) end

-- Standard output; nil, and the reason, where files are closed.
files.output = guarded(function() return io.stdout end)

return files
