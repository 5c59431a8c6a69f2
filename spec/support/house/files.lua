-- The files of the tree, and what their text shows: lines, code lines, folders.
local files = { read = require "spec.support.slurp" }

local function lines_of(command)
  local pipe, list = assert(io.popen(command)), {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

files.lines_of = lines_of

function files.folder(path) return path:match "^(.*)/" or "." end

-- Paths below a folder that end in one of the suffixes, sorted.
function files.below(folder, ...)
  local names = {}
  for i, suffix in ipairs { ... } do names[i] = ("-name '*%s'"):format(suffix) end
  return lines_of(("find %s -type f \\( %s \\) -not -path '*/vendor/*' | LC_ALL=C sort"):format(folder,
    table.concat(names, " -o ")))
end

function files.is_test(path)
  return path:match "_test%.c$" or path:match "/test_[%w_]+%.h$" or path:match "_spec%.lua$"
end

-- Comments and strings of C become blanks of the same length, so that lines stay where they are.
function files.bare_c(text)
  local function blank(part) return (part:gsub("[^\n]", " ")) end
  local out, at = {}, 1
  while at <= #text do
    local from = text:find("[/\"']", at)
    if not from then break end
    local two, last = text:sub(from, from + 1), from
    if two == "/*" then
      last = select(2, text:find("*/", from + 2, true)) or #text
    elseif two == "//" then
      last = (text:find("\n", from, true) or #text + 1) - 1
    elseif text:sub(from, from) ~= "/" then
      local quote, k = text:sub(from, from), from + 1
      while k <= #text and text:sub(k, k) ~= quote do k = k + (text:sub(k, k) == "\\" and 2 or 1) end
      last = k
    end
    out[#out + 1] = text:sub(at, from - 1)
    out[#out + 1] = two == "/ " and "/ " or last == from and text:sub(from, from) or blank(text:sub(from, last))
    at = last + 1
  end
  out[#out + 1] = text:sub(at)
  return table.concat(out)
end

local function bare_lua(text)
  return (text:gsub("%-%-%[(=*)%[.-%]%1%]", function() return "" end):gsub("%-%-[^\n]*", ""))
end

-- Lines, and those of them that are neither blank nor comment.
function files.count(path)
  local text = files.read(path)
  local bare = path:match "%.lua$" and bare_lua(text) or files.bare_c(text)
  local lines, code = select(2, text:gsub("\n", "")), 0
  for line in bare:gmatch "[^\n]+" do if line:find "%S" then code = code + 1 end end
  return lines, code
end

return files
