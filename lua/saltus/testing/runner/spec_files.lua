-- Which spec files `saltus test` runs, by the same rules as busted: the file .busted, patterns and roots.
local files = require "saltus.util.files"
local process = require("saltus.core").process

local spec_files = {}

-- Whether this is the folder of a project: its specs run in it.
local function is_project(path)
  if not process.list_folder(path) then return false end
  return files.exists(path .. "/.busted") or process.list_folder(path .. "/spec") ~= nil
end

-- The folder in which the specs run, and the words for busted, of the arguments of `saltus test`.
function spec_files.places(roots)
  if #roots == 1 and is_project(roots[1]) then return (roots[1]:gsub("(.)/+$", "%1")), {} end
  return ".", roots
end

-- What busted makes of these words and of the file .busted: a table by its long names, or nil and why.
function spec_files.settings(folder, words, default_output)
  local cli = require "busted.modules.cli" { output = default_output }
  cli:set_name "saltus test"
  local list = { "--ignore-lua", "-C", folder }
  table.move(words, 1, #words, #list + 1, list)
  local settings, wrong = cli:parse(list)
  return settings or nil, wrong
end

-- Whether busted can load a file: beside "tank_spec.lua" there may be others, such as "tank_spec.failing".
local function is_loaded(path, settings)
  for _, name in ipairs(settings.loaders) do
    if require("busted.modules.files." .. name).match(nil, path) then return true end
  end
  return false
end

-- The spec files, as paths in the folder; refuse(text) raises an error where a root does not exist.
function spec_files.list(folder, settings, refuse)
  local prefix = folder == "." and "" or folder .. "/"
  local roots, paths = {}, require "pl.path"
  for i, root in ipairs(type(settings.ROOT) == "table" and settings.ROOT or { settings.ROOT }) do
    roots[i] = root:sub(1, 1) == "/" and root or prefix .. root
    if not files.exists(roots[i]) or not (paths.isfile(roots[i]) or paths.isdir(roots[i])) then refuse(roots[i]) end
  end
  local silent = { publish = function() end }
  local _, _, all = require "busted.modules.test_file_loader"(silent, settings.loaders)
  local list = {}
  for _, path in ipairs(all(roots, settings.pattern, { excludes = settings["exclude-pattern"],
    recursive = settings.recursive })) do
    if is_loaded(path, settings) then
      list[#list + 1] = path:sub(1, #prefix) == prefix and path:sub(#prefix + 1) or path
    end
  end
  return list
end

return spec_files
