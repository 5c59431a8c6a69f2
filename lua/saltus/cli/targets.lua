-- The files that a command writes: checked before any work is done.
local complaint = require "saltus.cli.complaint"
local process = require("saltus.core").process

local targets = {}

-- Raises an error if two names are of one file: the last file written would replace the other. A file that exists is
-- known by its number, also through links.
function targets.check_different(list)
  local taken = {}
  for _, item in ipairs(list) do
    local what, path = item[1], item[2]
    local key = path and (process.file_number(path) or path:gsub("//+", "/"):gsub("^%./", ""))
    local other = path and path ~= "/dev/null" and taken[key]
    if other then complaint.raise(complaint.USAGE, "%s and %s are one file, '%s'", other, what, path) end
    if path then taken[key] = what end
  end
end

-- source: { what, path } of the file that is read; written: a list of { option, path }; more: as source, or nil.
function targets.check(source, written, more)
  targets.check_different { source, table.unpack(written) }
  if more then targets.check_different { more, table.unpack(written) } end
  for _, item in ipairs(written) do
    local can, why = process.can_write(item[2])
    if not can then complaint.raise(complaint.FAILED, "%s: %s", item[1], why) end
  end
end

-- Raises an error if a file that nobody named by itself exists, unless force is given.
function targets.check_new(option, path, force)
  complaint.raise_if(not force and process.file_number(path), complaint.FAILED, "%s: %s exists; --force overwrites it",
    option, path)
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

-- Says which files were written; false and standard output are left out.
function targets.tell(paths)
  for _, path in ipairs(paths) do
    if path and path ~= "-" then complaint.say("  wrote " .. path) end
  end
end

return targets
