-- The prompt of `saltus repl`: runs lines of Lua, prints values, completes names.
local complaint = require "saltus.cli.complaint"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local prompt = {}

-- ---- values as people read them ----

local MOST_ITEMS, MOST_DEPTH = 24, 3

local show

local function show_table(value, depth)
  local items, count = {}, 0
  for key, item in pairs(value) do
    count = count + 1
    if count > MOST_ITEMS then
      items[#items + 1] = "..."
      break
    end
    local in_order = math.type(key) == "integer" and key == count
    local label = in_order and "" or (names.is_identifier(key) and key or "[" .. show(key, depth) .. "]") .. " = "
    items[#items + 1] = label .. show(item, depth + 1)
  end
  local text = "{ " .. table.concat(items, ", ") .. " }"
  if count == 0 then return "{}" end
  if #text <= 100 then return text end
  local indent = ("  "):rep(depth + 1)
  return "{\n" .. indent .. table.concat(items, ",\n" .. indent) .. "\n" .. ("  "):rep(depth) .. "}"
end

-- Objects of Saltus print themselves; a context is shown with its values.
function show(value, depth)
  if type(value) == "string" then return ("%q"):format(value):gsub("\\\n", "\\n") end
  if type(value) == "number" then return numerals.text(value) end
  if type(value) ~= "table" then return tostring(value) end
  local mt = getmetatable(value)
  if type(mt) == "table" and rawget(mt, "__tostring") then return tostring(value) end
  if depth >= MOST_DEPTH then return "{ ... }" end
  return show_table(value, depth)
end

-- Text of several lines, such as a plot, is shown as it is.
function prompt.show(value)
  if type(value) == "string" and value:find "\n." then return (value:gsub("\n$", "")) end
  return (show(value, 0))
end

-- ---- lines ----

-- Returns the chunk of a text, which may be an expression; or nil, the error, and whether more lines could complete it.
function prompt.compile(text, env)
  text = text:gsub("^%s*=", "return ") -- as lua5.4 reads it
  local chunk = load("return " .. text, "=prompt", "t", env)
  if chunk then return chunk end
  local wrong
  chunk, wrong = load(text, "=prompt", "t", env)
  if chunk then return chunk end
  return nil, wrong, wrong:find "<eof>%p?$" ~= nil
end

-- Runs a chunk and prints its results.
function prompt.run(chunk)
  local results = table.pack(pcall(chunk))
  if not results[1] then
    io.stdout:flush()
    complaint.aloud("error", complaint.message_of(results[2]))
    return false
  end
  for i = 2, results.n do complaint.say(prompt.show(results[i])) end
  return true
end

-- ---- completion ----

local function add_keys(of, list)
  local mt = getmetatable(of)
  local index = type(mt) == "table" and rawget(mt, "__index")
  for _, keys in ipairs { of, type(index) == "table" and index or {} } do
    local ok, iterator, state, key = pcall(pairs, keys)
    if ok then
      for name in iterator, state, key do
        if type(name) == "string" then list[#list + 1] = name end
      end
    end
  end
end

-- The methods and fields of objects of Saltus, as the help lists them.
local function add_methods(value, list)
  local kind = names.kind(value)
  local help = kind and require "saltus.cli.help"
  for _, row in ipairs(help and help.methods[kind] or {}) do list[#list + 1] = row[1]:match "^[%w_]+" end
  for _, row in ipairs(kind == "simulator" and help.fields or {}) do list[#list + 1] = row[1] end
end

-- The value of a path such as sim.context; nil without an error.
local function value_of(path, env)
  local chunk = load("return " .. path, "=completion", "t", env)
  local ok, value = pcall(chunk or error)
  return ok and value or nil
end

-- The ways to complete the word at the end of a line: { "sim.context", ... }.
function prompt.complete(word, env)
  local before, separator, start = word:match "^(.-)([.:]?)([%w_]*)$"
  local list, found = {}, {}
  local of = before == "" and env or separator ~= "" and before:find "^[%a_][%w_.]*$" and value_of(before, env)
  if before == "" then add_keys(_G, list) end
  if type(of) == "table" then
    add_keys(of, list)
    add_methods(of, list)
  end
  table.sort(list)
  for i, name in ipairs(list) do
    if name:sub(1, #start) == start and name ~= list[i - 1] then found[#found + 1] = before .. separator .. name end
  end
  return found
end

return prompt
