-- --set-file FILE: values for --set from a file, a line each: name = value. The scenario's defaults come first, then
-- the files in their order, then --set.
local arguments = require "saltus.cli.arguments"
local complaint = require "saltus.cli.complaint"

local function apply_file(changes, path)
  local file, why = io.open(path, "r")
  if not file then complaint.raise(complaint.FAILED, "--set-file: %s", why) end
  local at = 0
  for line in file:lines() do
    at = at + 1
    local text = line:gsub("\r$", ""):gsub("^%s*#.*", ""):gsub("%s#.*", "")
    if text:find "%S" then
      local item, wrong = arguments.set(text)
      if not item then
        file:close()
        wrong = wrong:gsub("^%-%-set ", ""):gsub("^must", "a line must")
        complaint.raise(complaint.FAILED, "%s:%d: %s", path, at, wrong)
      end
      arguments.apply_set(changes, { item })
    end
  end
  file:close()
end

return {
  name = "--set-file", argname = "FILE", many = true,
  doc = "Set defaults from a file with a line name = value for each (repeatable); --set comes after it.",
  apply = function(changes, paths)
    for _, path in ipairs(paths) do apply_file(changes, path) end
  end,
}
