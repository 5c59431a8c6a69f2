-- Scenarios can require the modules in their own folder.
local getinfo = require("saltus.core").getinfo
local module_path = {}

-- Puts the folder of `path` first in the search path of `require`.
function module_path.add_script_dir(path)
  local folder = path:match "^(.*)[/\\][^/\\]*$" or "."
  local places = ("%s/?.lua;%s/?/init.lua;"):format(folder, folder)
  if package.path:sub(1, #places) ~= places then package.path = places .. package.path end
end

-- The same for a program of plain lua5.4, when it requires saltus: the outermost Lua function is then the main chunk of
-- the file in arg[0].
function module_path.add_main_script_dir()
  local main = type(arg) == "table" and arg[0]
  if type(main) ~= "string" or not main:find "%.lua$" then return end
  local outermost
  for level = 2, math.huge do
    local info = getinfo(level, "S")
    if not info then break end
    if info.what ~= "C" then outermost = info end
  end
  if outermost and outermost.what == "main" and outermost.source == "@" .. main then
    module_path.add_script_dir(main)
  end
end

return module_path
