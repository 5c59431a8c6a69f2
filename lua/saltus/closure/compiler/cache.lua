-- Stores programs for closures with the same code and the same reads and writes: a thousand clocks, or the next run of
-- the same model.
local Emitter = require "saltus.closure.compiler.emitter"
local delay_ops = require "saltus.closure.compiler.delay_ops"
local bytecode = require "saltus.closure.compiler.bytecode"

local cache = {}

local MAX_KEPT = 500
local by_code, count = {}, 0

local function shape_of_entry(e)
  return ("%s %s %s %d %s %s %s"):format(e.name, e.partition or "", e.offset or e.index or "", e.size,
    e.vector and "v" or "", e.abstract and "a" or "", e.values and table.concat(e.values, ",") or "")
end

-- A text of everything that a program depends on, for closure c; nil if c lacks some of it. `names`: the names that the
-- program reads.
local function shape(c, names, questions)
  for _, q in ipairs(questions) do
    if delay_ops.find_past(c.system, q.name) ~= q.past then return nil end
  end
  local parts = { c.kind, c.entry and shape_of_entry(c.entry) or "" }
  for _, name in ipairs(names) do
    local e = c.system.by_name[name]
    if name ~= "time" then
      if not e or (e.partition == "input" or e.partition == "output") and not c.seen[e] then return nil end
      parts[#parts + 1] = shape_of_entry(e)
    end
  end
  parts[#parts + 1] = "writes"
  for _, e in ipairs(c.writes) do parts[#parts + 1] = shape_of_entry(e) end
  return table.concat(parts, "\n")
end

-- What a value must have in common with the value for which a program was written: a Lua function its code; a C
-- function, `math` and its fields their identity; any other value its type.
local function trait_of(value, in_math)
  if in_math or rawequal(value, math) then return value end
  if type(value) ~= "function" then return type(value) end
  local _, chunk = bytecode.of(value)
  return chunk or value
end

-- The functions among a closure's upvalues, by fetch (false: the fetch needs no function), as core:program takes them;
-- nil if the upvalues are not those that the program expects.
local function matching_functions(c, nodes)
  local found, functions = {}, {}
  for n, node in ipairs(nodes) do
    local parent = found[node.parent]
    local value = Emitter.behind(c.fn, parent, node.key)
    if not rawequal(trait_of(value, parent and rawequal(parent.value, math)), node.trait) then return nil end
    found[n] = { value = value }
    if node.fetch then functions[node.fetch] = type(value) == "function" and value end
  end
  return functions
end

local function nodes_of(b)
  local nodes, number = {}, {}
  for n, node in ipairs(b.nodes) do
    local parent = node.parent
    nodes[n] = { parent = parent and number[parent], key = node.key, fetch = node.number,
      trait = trait_of(node.value, parent and rawequal(parent.value, math)) }
    number[node] = n
  end
  return nodes
end

function cache.keep(c, made, b)
  if count >= MAX_KEPT then by_code, count = {}, 0 end
  count = count + 1
  local names = {}
  for i, e in ipairs(b.read_of) do names[i] = e.name end
  local _, chunk = bytecode.of(c.fn)
  by_code[chunk] = by_code[chunk] or {}
  table.insert(by_code[chunk], { made = made, names = names, questions = b.questions,
    shape = shape(c, names, b.questions), nodes = nodes_of(b) })
end

-- The program for a closure like c, and the functions among the upvalues of c.
function cache.find(c)
  local _, chunk = bytecode.of(c.fn)
  for _, one in ipairs(chunk and by_code[chunk] or {}) do
    local functions = shape(c, one.names, one.questions) == one.shape and matching_functions(c, one.nodes)
    if functions then return one.made, functions end
  end
end

return cache
