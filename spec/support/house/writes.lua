-- Who writes the members of structs, found in the sources of C: an assignment to `->member` or `.member`, `++` or `--`,
-- memcpy, memset or sal__copy into it, and `&` of it where the address may be written through.
--
-- It knows the types of parameters and locals from their declarations, and of members from the structs, so a chain such
-- as sim->schedule.queue[0].count is a write to the struct of `count`.
local files = require "spec.support.house.files"

local writes = {}

local QUALIFIERS = { const = true, static = true, inline = true, struct = true, restrict = true, volatile = true,
  unsigned = true, signed = true, extern = true }

-- Parts of a text between separators that stand outside of brackets, with where they begin.
local function split(text, separator)
  local parts, depth, start = {}, 0, 1
  for at, char in text:gmatch "()([%(%)%[%]{},;])" do
    if char:find "[%(%[{]" then
      depth = depth + 1
    elseif char:find "[%)%]}]" then
      depth = depth - 1
    elseif char == separator and depth == 0 then
      parts[#parts + 1] = text:sub(start, at - 1)
      start = at + 1
    end
  end
  parts[#parts + 1] = text:sub(start)
  return parts
end

-- "const sal__witness *w, *end = f(x)" gives the type, whether what is pointed to is const, and the names, each
-- with whether it is a pointer; nil: not a declaration.
local function declared(text)
  local first, rest = split(text, ",")[1], split(text, ",")
  local head = first:gsub("=.*", ""):gsub("%b[]", ""):gsub("%s*:%s*%d+", "")
  if head:find "[%(%)]" then return nil end
  local words, const = {}, head:match "^[^%*]*%f[%w_]const%f[^%w_]" ~= nil
  for word in head:gmatch "[%a_][%w_]*" do if not QUALIFIERS[word] then words[#words + 1] = word end end
  if #words ~= 2 or not head:match "[%w_]%s*$" then return nil end
  local names = { { name = words[2], is_pointer = head:find("*", 1, true) ~= nil } }
  for i = 2, #rest do
    local stars, name = rest[i]:match "^%s*(%**)%s*([%a_][%w_]*)"
    if name then names[#names + 1] = { name = name, is_pointer = stars ~= "" } end
  end
  return words[1], const, names
end

local function without_directives(text)
  return (text:gsub("\n[ \t]*#[^\n]*", function(line) return "\n" .. (" "):rep(#line - 1) end))
end

-- struct -> member -> { type =, is_pointer =, is_const = }
local function add_structs(text, structs)
  for tag, body, name in text:gmatch "struct%s+([%w_]*)%s*(%b{})%s*([%w_]*)" do
    local members = {}
    for _, statement in ipairs(split(body:sub(2, -2), ";")) do
      local type, const, names = declared(statement)
      for _, member in ipairs(names or {}) do
        members[member.name] = { type = type, is_pointer = member.is_pointer, is_const = const }
      end
    end
    structs[name ~= "" and name or tag] = members
  end
end

-- function -> which of its parameters are pointers to const; static ones of a .c file are known in that file only
local function add_functions(path, text, everywhere, here)
  for first, name, parameters in text:gmatch "\n([%a_]+)[^\n;={}%(%)]-([%a_][%w_]*)(%b())%s*[;{]" do
    local const = {}
    for i, parameter in ipairs(split(parameters:sub(2, -2), ",")) do
      const[i] = parameter:match "^[^%*]*%f[%w_]const%f[^%w_][^%*]*%*" ~= nil
    end
    here[name] = const
    if first ~= "static" or path:find "%.h$" then everywhere[name] = const end
  end
end

-- The types of a function's parameters and locals.
local function variables_of(chunk, structs)
  local known = {}
  local function add(text)
    local type, const, names = declared(text)
    for _, v in ipairs(type and structs[type] and names or {}) do
      known[v.name] = { type = type, is_pointer = v.is_pointer, is_const = const }
    end
  end
  local parameters = chunk:match "(%b())%s*{"
  for _, parameter in ipairs(split((parameters or "()"):sub(2, -2), ",")) do add(parameter) end
  for statement in chunk:gsub("[%(%){}]", ";"):gmatch "[^;]+" do add(statement) end
  -- what parentheses cut: "sal__witness *w = f(x)" is whole up to the first of them
  return known
end

-- From where a name ends, its links: a list of member names, and where they end.
local function links_at(text, at)
  local links = {}
  while true do
    local index = text:match("^%s*%b[]()", at)
    if index then
      at = index
      if links[#links] then links[#links].has_index = true end
    else
      local arrow, name, after = text:match("^%s*(%->)%s*([%a_][%w_]*)()", at)
      if not name then arrow, name, after = text:match("^%s*(%.)%s*([%a_][%w_]*)()", at) end
      if not name then return links, at end
      links[#links + 1] = { name = name, arrow = arrow == "->" }
      at = after
    end
  end
end

-- The struct whose member is last in the chain, that member, and whether it is reached through a pointer to const.
local function resolve(variable, links, structs)
  local owner, is_const = variable.type, variable.is_const
  local path = {}
  for _, link in ipairs(links) do
    local members = owner and structs[owner]
    local member = members and members[link.name]
    if not member then return nil end
    path[#path + 1] = { struct = owner, member = link.name, by_pointer = link.arrow, has_index = link.has_index,
      value = not member.is_pointer and member.type or nil, item = member.type }
    if member.is_pointer then is_const = member.is_const end
    owner = member.type
  end
  return path, is_const
end

-- The call that an argument at `at` belongs to, and which argument of it that is.
local function call_around(text, at)
  local depth, n = 0, 1
  for i = at - 1, 1, -1 do
    local char = text:sub(i, i)
    if char:find "[%)%]}]" then
      depth = depth + 1
    elseif char:find "[%(%[{]" then
      if depth == 0 then return char == "(" and text:sub(1, i - 1):match "([%a_][%w_]*)%s*$", n end
      depth = depth - 1
    elseif char == "," and depth == 0 then
      n = n + 1
    elseif char == ";" and depth == 0 then
      return nil
    end
  end
end

-- Is the address that is taken at `at` only read: bound to a pointer to const, or given to a function that takes one?
local function is_read_only(text, at, functions)
  local name, n = call_around(text, at)
  if name and functions[name] then return functions[name][n] end
  if name == "sizeof" then return true end
  local statement = text:sub(1, at - 1):match "[^;{}]*$"
  if statement:match "^%s*return%f[^%w_]" then return text:match "^[%s%w_]-%f[%w_]const%f[^%w_]" ~= nil end
  return statement:match "^%s*const%f[^%w_][^%*]*%*[%w_%s]-=[^=]*$" ~= nil
    or statement:match "^%s*for%s*%(%s*const%f[^%w_]" ~= nil
end

local ASSIGNED = { "^%s*=[^=]", "^%s*[%+%-%*/%%|&%^]=", "^%s*<<=", "^%s*>>=", "^%s*%+%+", "^%s*%-%-" }
local FILLED = { "memcpy%s*%(%s*$", "memmove%s*%(%s*$", "memset%s*%(%s*$", "sal__copy%s*%(%s*$" }

local function matches(text, patterns)
  for _, pattern in ipairs(patterns) do if text:find(pattern) then return true end end
  return false
end

-- How a chain from `from` to `to` is written: "=", "&", "copy" or nil.
local function how(text, from, to, functions)
  local before = text:sub(math.max(1, from - 40), from - 1)
  if matches(text:sub(to, to + 12), ASSIGNED) or before:find "%+%+%s*$" or before:find "%-%-%s*$" then return "=" end
  local taken = before:match "^(.*)&%s*$"
  if taken and not taken:find "&$" and not taken:find "[%w_%)%]]%s*$" or (taken and taken:find "return%s*$") then
    return not is_read_only(text, from - 1, functions) and "&" or nil
  end
  return matches(taken or before, FILLED) and "copy" or nil
end

-- Top-level pieces of formatted C: each ends with a brace in the first column.
local function chunks(text)
  local list, start = {}, 1
  for after in text:gmatch "\n}[^\n]*\n()" do
    list[#list + 1] = { text = text:sub(start, after - 1), at = start }
    start = after
  end
  return list
end

local function line_of(text, at) return select(2, text:sub(1, at):gsub("\n", "")) + 1 end

-- Functions in a header belong to the files that the last line like "/* ---- witness.c, guard.c ---- */" before them
-- names. Whoever writes there is one of those.
local function writers(path, raw, line)
  if not path:find "%.h$" then return { path } end
  local list, n = {}, 0
  for text in raw:gmatch "([^\n]*)\n" do
    n = n + 1
    if n > line then break end
    local section = text:match "^/%* %-%-%-%- (.-) %-%-%-%- %*/"
    if section then
      list = {}
      for name in section:gmatch "[%w_/]+%.c" do list[#list + 1] = files.folder(path) .. "/" .. name end
    end
  end
  return list
end

local function writes_in(path, text, structs, functions, add)
  for _, chunk in ipairs(chunks(text)) do
    local known = variables_of(chunk.text, structs)
    for from, name, to in chunk.text:gmatch "()%f[%a_]([%a_][%w_]*)()" do
      local before = chunk.text:sub(math.max(1, from - 3), from - 1)
      local variable = known[name]
      if variable and not before:find "%.%s?$" and not before:find "%->%s?$" then
        local links, last = links_at(chunk.text, to)
        local route, is_const = resolve(variable, links, structs)
        local way = route and #route > 0 and how(chunk.text, from, last, functions)
        if way and not (way == "&" and is_const) then
          add { path = path, line = line_of(text, chunk.at + from - 1), way = way, route = route }
        end
      end
    end
  end
end

-- All writes in the sources { path = text }: path, line, way, writers (files), and route, a list of { struct =,
-- member = } from the variable to the member that is written.
function writes.of(sources)
  local structs, everywhere, functions, list, bare = {}, {}, {}, {}, {}
  for path, text in pairs(sources) do
    bare[path] = without_directives(files.bare_c("\n" .. text))
    add_structs(bare[path], structs)
    functions[path] = setmetatable({}, { __index = everywhere })
    add_functions(path, bare[path], everywhere, functions[path])
  end
  for path, text in pairs(bare) do
    writes_in(path, text:sub(2), structs, functions[path], function(write)
      write.writers = writers(path, sources[path], write.line)
      list[#list + 1] = write
    end)
  end
  table.sort(list, function(a, b)
    if a.path ~= b.path then return a.path < b.path end
    return a.line < b.line
  end)
  return list, structs
end

-- The struct in `owners` and its member that a write concerns: the last one on its route, as long as only members that
-- are held by value lead on from there; and whether it is to memory that the member points to, or holds. An
-- element of a list of structs is written where its own members are.
local function concerned(write, owners)
  for i = #write.route, 1, -1 do
    local step = write.route[i]
    if write.way == "&" and step.has_index and owners[step.value or step.item] then return nil end
    if owners[step.struct] then return step, step.has_index or write.way ~= "=" end
    if step.by_pointer then return nil end
  end
end

-- The files that own what is written. The owner of a struct owns it where it is a member of another one, too.
local function owners_of(step, owners)
  local owner, inner = owners[step.struct], owners[step.value]
  if type(owner) == "table" then owner = owner[step.member] or owner.rest end
  if type(inner) == "table" then inner = inner.rest end
  return (owner or "") .. " " .. (inner or "")
end

-- The writes that nobody may do but others do, as "path:line: struct.member (way)". owners: struct -> the file that
-- owns it, several, or { member = file, rest = file }; lent: "struct.member" -> true, memory that all may write to.
function writes.foreign(list, owners, lent)
  local found = {}
  for _, write in ipairs(list) do
    local step, is_memory = concerned(write, owners)
    if step then
      local name, owner = step.struct .. "." .. step.member, owners_of(step, owners)
      local is_owner = lent[name] and is_memory
      for _, writer in ipairs(write.writers) do is_owner = is_owner or owner:find(writer, 1, true) ~= nil end
      if not is_owner then
        found[#found + 1] = ("%s:%d: %s (%s)"):format(write.path, write.line, name, write.way)
      end
    end
  end
  return found
end

return writes
