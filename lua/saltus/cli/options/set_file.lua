-- --set-file FILE: values for --set from a file, a line each: name = value. The scenario's defaults come first, then
-- the files in their order, then --set.
local arguments = require "saltus.cli.arguments"
local complaint = require "saltus.cli.complaint"

local function refuse(path, line, wrong) complaint.raise(complaint.FAILED, "%s:%d: %s", path, line, wrong) end

-- The results of arguments.set, each with its line.
local function items_of(path)
  local items, at, line_of = {}, 0, {}
  for line in arguments.lines("--set-file", path) do
    at = at + 1
    local text = line:gsub("^%s*#.*", ""):gsub("%s#.*", "")
    if text:find "%S" then
      local item, wrong = arguments.set(text)
      if not item then refuse(path, at, wrong:gsub("^%-%-set ", ""):gsub("^must", "a line must")) end
      local before = line_of[item.name]
      if before then refuse(path, at, ("%s is set in line %d, too"):format(item.name, before)) end
      item.line, line_of[item.name] = at, at
      items[#items + 1] = item
    end
  end
  return items
end

-- Values that the model refuses are those of one line, or of several that do not fit each other.
local function check(items, path, model)
  local all = {}
  for _, item in ipairs(items) do all[item.name] = item.value end
  if pcall(model.with, model, all) then return end
  for _, item in ipairs(items) do
    local ok, wrong = pcall(model.with, model, { [item.name] = item.value })
    if not ok then refuse(path, item.line, complaint.message_of(wrong)) end
  end
end

local function apply_file(changes, path, model)
  local items = items_of(path)
  check(items, path, model)
  arguments.apply_set(changes, items)
end

return {
  name = "--set-file", argname = "FILE", many = true,
  doc = "Set defaults from a file with a line name = value for each (repeatable); --set comes after it.",
  apply = function(changes, paths, scenario)
    for _, path in ipairs(paths) do apply_file(changes, path, scenario.model) end
  end,
}
