-- Files that hold a run: a checkpoint, { name = (of the model), file = (of the scenario), changes =, saved =, rows = },
-- or the bytes of sim:save() alone, { saved = }.
local complaint = require "saltus.cli.complaint"
local files = require "saltus.util.files"
local hash = require("saltus.core").hash

local saved_file = {}

local VERSION = 3
local HEAD = ("saltus checkpoint %d\n"):format(VERSION) -- then the hash of the rest
local FORM = "<s4s4s4s8s8"

function saved_file.pack(run)
  local content = string.pack(FORM, run.name, run.file, run.changes, run.saved, run.rows)
  return HEAD .. hash(content) .. content
end

local function bytes_of(path, what)
  local bytes, why = files.read(path)
  return bytes or complaint.raise(complaint.FAILED, "%s: %s", what, why)
end

-- Complaints begin with `what`: an option or a command.
function saved_file.read(path, what)
  local bytes = bytes_of(path, what)
  if not bytes:find "^saltus checkpoint " then return { saved = bytes } end
  local version = bytes:match "^saltus checkpoint (%d+)\n"
  complaint.raise_if(version and tonumber(version) ~= VERSION, complaint.FAILED,
    "%s: %s is a checkpoint of another version of saltus; run the scenario anew", what, path)
  local content = bytes:sub(#HEAD + 17)
  local ok, name, file, changes, saved, rows = pcall(string.unpack, FORM, content)
  if not ok or hash(content) ~= bytes:sub(#HEAD + 1, #HEAD + 16) then
    complaint.raise(complaint.FAILED, "%s: %s is not a checkpoint, or it is damaged", what, path)
  end
  return { name = name, file = file, changes = changes, saved = saved, rows = rows }
end

return saved_file
