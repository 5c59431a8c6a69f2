-- The files that a command writes: checked before any work is done.
local complaint = require "saltus.cli.complaint"

local targets = {}

-- Raises an error if a file cannot be written; removes the file that this creates.
local function check_writable(option, path)
  local there = io.open(path, "r")
  if there then there:close() end
  local file, why = io.open(path, "ab")
  if not file then complaint.raise(complaint.FAILED, "%s: %s", option, why) end
  file:close()
  if not there then os.remove(path) end
end

-- Raises an error for equal paths: the last file written would replace the other.
local function check_different(list)
  local taken = {}
  for _, item in ipairs(list) do
    local what, path = item[1], item[2] and item[2]:gsub("^%./", "")
    local other = path and path ~= "/dev/null" and taken[path]
    if other then complaint.raise(complaint.USAGE, "%s and %s are one file, '%s'", other, what, item[2]) end
    if path then taken[path] = what end
  end
end

-- source: { what, path } of the file that is read; written: a list of { option, path }.
function targets.check(source, written)
  check_different { source, table.unpack(written) }
  for _, item in ipairs(written) do check_writable(item[1], item[2]) end
end

-- Raises an error unless the path ends in one of the extensions; .htm counts as .html.
function targets.check_extension(option, path, extensions)
  local own = path:match "%.(%w+)$"
  if own == "htm" then own = "html" end
  for _, extension in ipairs(extensions) do
    if own == extension then return end
  end
  complaint.raise(complaint.USAGE, "%s: the file must end in .%s, got '%s'", option,
    table.concat(extensions, " or ."), path)
end

return targets
