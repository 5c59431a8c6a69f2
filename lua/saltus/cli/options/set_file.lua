-- --set-file FILE: values for --set from a file, a line each: name = value. The scenario's defaults come first, then
-- the files in their order, then --set.
local arguments = require "saltus.cli.arguments"
local complaint = require "saltus.cli.complaint"

local function apply_file(changes, path)
  local at = 0
  for line in arguments.lines("--set-file", path) do
    at = at + 1
    local text = line:gsub("^%s*#.*", ""):gsub("%s#.*", "")
    if text:find "%S" then
      local item, wrong = arguments.set(text)
      if not item then
        wrong = wrong:gsub("^%-%-set ", ""):gsub("^must", "a line must")
        complaint.raise(complaint.FAILED, "%s:%d: %s", path, at, wrong)
      end
      arguments.apply_set(changes, { item })
    end
  end
end

return {
  name = "--set-file", argname = "FILE", many = true,
  doc = "Set defaults from a file with a line name = value for each (repeatable); --set comes after it.",
  apply = function(changes, paths)
    for _, path in ipairs(paths) do apply_file(changes, path) end
  end,
}
