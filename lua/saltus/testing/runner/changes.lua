-- Which Lua files of a folder were saved, for `saltus test --watch`.
local process = require("saltus.core").process

local changes = {}

local MOST = 5000 -- files; a folder with more is no folder of models

-- The times and sizes of the Lua files in a folder and in its folders, by path.
local function collect(folder, times, count)
  for _, name in ipairs(process.list_folder(folder) or {}) do
    if count >= MOST then break end
    local path = folder .. "/" .. name
    if name:sub(-1) == "/" then
      count = collect(path:sub(1, -2), times, count)
    elseif name:find "%.lua$" then
      local of = require("lfs").attributes(path)
      times[path] = of and ("%s %d"):format(of.modification, of.size)
      count = count + 1
    end
  end
  return count
end

-- A snapshot of the folder.
function changes.snapshot(folder)
  local times = {}
  collect(folder, times, 0)
  return times
end

-- The path of a file that differs between two snapshots; nil if there is none.
function changes.between(before, now)
  for path, time in pairs(now) do if before[path] ~= time then return path end end
  for path in pairs(before) do if not now[path] then return path end end
  return nil
end

return changes
