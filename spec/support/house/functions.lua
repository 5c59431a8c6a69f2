-- How long functions are, in lines from the one that opens them to the one that ends them.
local files = require "spec.support.house.files"

local functions = {}

-- Formatted C: a function's body ends with a brace in the first column.
local function of_c(path, add)
  local start, n, open = 1, 0, nil
  for line in (files.bare_c(files.read(path)) .. "\n"):gmatch "([^\n]*)\n" do
    n = n + 1
    if not open and line:find "^[%a_]" then start = n end
    if not open and line:find "%)%s*{%s*$" and not line:find "^%s" then open = start end
    if not open and line:find "%)%s*{%s*$" and line:find "^%s" and start < n then open = start end
    if open and line:find "^}" then
      add(n - open + 1, path, open)
      open = nil
    end
  end
end

local function of_lua(path, add)
  for _, line in ipairs(files.lines_of(("luac5.4 -l -p %s"):format(path))) do
    local first, last = line:match "^function <.-:(%d+),(%d+)>"
    if first then add(last - first + 1, path, math.tointeger(tonumber(first))) end
  end
end

-- { lines =, path =, line = } of each, the shortest first.
function functions.of(paths)
  local list = {}
  local function add(lines, path, line)
    list[#list + 1] = { lines = math.tointeger(lines), path = path, line = line }
  end
  for _, path in ipairs(paths) do (path:match "%.lua$" and of_lua or of_c)(path, add) end
  table.sort(list, function(a, b)
    if a.lines ~= b.lines then return a.lines < b.lines end
    return a.path < b.path
  end)
  return list
end

return functions
