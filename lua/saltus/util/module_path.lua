-- Where scenarios find the modules that stand next to them.
local beside = {}

-- `require` finds what stands beside `path` before anything else.
function beside.look_beside(path)
  local folder = path:match "^(.*)[/\\][^/\\]*$" or "."
  local places = ("%s/?.lua;%s/?/init.lua;"):format(folder, folder)
  if package.path:sub(1, #places) ~= places then package.path = places .. package.path end
end

-- The same for a program of plain lua5.4, as soon as it requires saltus: the
-- outermost Lua function is then the main chunk of the file in arg[0].
function beside.look_beside_main()
  local main = type(arg) == "table" and arg[0]
  if type(main) ~= "string" or not main:find "%.lua$" then return end
  local outermost
  for level = 2, math.huge do
    local info = debug.getinfo(level, "S")
    if not info then break end
    if info.what ~= "C" then outermost = info end
  end
  if outermost and outermost.what == "main" and outermost.source == "@" .. main then beside.look_beside(main) end
end

return beside
