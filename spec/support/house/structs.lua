-- How many members structs have. A struct or union inside of one counts as one member.
local files = require "spec.support.house.files"

local structs = {}

-- Members are between semicolons; commas outside of brackets separate names of one type.
local function count_members(body)
  body = body:gsub("%b{}", ""):gsub("%b()", ""):gsub("%b[]", "")
  local count = 0
  for statement in body:gmatch "([^;]+);" do
    if statement:find "%w" then count = count + 1 + select(2, statement:gsub(",", "")) end
  end
  return count
end

-- A table of functions is one where most members are pointers to them.
local function is_table_of_functions(body, members)
  return select(2, body:gsub("%(%*[%w_]+%)%s*%(", "")) > members / 2
end

-- { name =, members =, path =, functions = } of each, the largest first.
function structs.of(paths)
  local list = {}
  for _, path in ipairs(paths) do
    local text = files.bare_c(files.read(path))
    for name, body, after in text:gmatch "struct%s+([%w_]*)%s*(%b{})%s*([%w_]*)" do
      local members = count_members(body:sub(2, -2))
      list[#list + 1] = { name = after ~= "" and after or name, members = members, path = path,
        functions = is_table_of_functions(body, members) }
    end
  end
  table.sort(list, function(a, b)
    if a.members ~= b.members then return a.members > b.members end
    return a.name < b.name
  end)
  return list
end

return structs
