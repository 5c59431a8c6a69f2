-- Programs written before, for closures of the same code that read and write alike: a thousand clocks, or the next
-- run of the same model.
local Builder = require "saltus.program.builder"
local asking = require "saltus.program.asking"
local bytecode = require "saltus.program.bytecode"

local shelf = {}

local MOST_FUNCTIONS = 500
local by_code, functions = {}, 0

local function shape_of_entry(e)
  return ("%s %s %s %d %s %s"):format(e.name, e.partition or "", e.offset or e.index or "", e.size,
    e.vector and "v" or "", e.values and table.concat(e.values, ",") or "")
end

-- What the program depends on, as it is for closure c; nil when c lacks some of it. `names`: what it reads.
local function shape(c, names, questions)
  for _, q in ipairs(questions) do
    if asking.kept(c.system, q.name) ~= q.past then return nil end
  end
  local parts = { c.kind, c.entry and c.entry.size or "", c.entry and c.entry.vector and "v" or "" }
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

-- Whether a closure's upvalues lead where the program expects it.
local function leads_alike(c, nodes, expected)
  local found = {}
  for n, node in ipairs(nodes) do
    local value = Builder.behind(c.fn, node.parent and found[node.parent], node.key)
    if type(value) ~= node.type or node.same and not rawequal(value, expected[n]) then return false end
    found[n] = { value = value }
  end
  return true
end

-- Functions and `math` are to be the same; of other tables only what stands in them counts.
local function expectations(b)
  local nodes, expected, number = {}, setmetatable({}, { __mode = "v" }), {}
  for n, node in ipairs(b.nodes) do
    local same = type(node.value) == "function" or rawequal(node.value, math)
    nodes[n] = { parent = node.parent and number[node.parent], key = node.key, type = type(node.value), same = same }
    expected[n], number[node] = same and node.value or nil, n
  end
  return nodes, expected
end

function shelf.keep(c, made, b)
  local _, chunk = bytecode.of(c.fn)
  if not by_code[chunk] then
    if functions >= MOST_FUNCTIONS then by_code, functions = {}, 0 end
    by_code[chunk], functions = {}, functions + 1
  end
  local names = {}
  for i, e in ipairs(b.read_of) do names[i] = e.name end
  local nodes, expected = expectations(b)
  table.insert(by_code[chunk], { made = made, names = names, questions = b.questions,
    shape = shape(c, names, b.questions), nodes = nodes,
    expected = expected })
end

-- What was kept for a closure like c.
function shelf.find(c)
  local _, chunk = bytecode.of(c.fn)
  for _, kept in ipairs(chunk and by_code[chunk] or {}) do
    local alike = shape(c, kept.names, kept.questions) == kept.shape
    if alike and leads_alike(c, kept.nodes, kept.expected) then return kept.made end
  end
end

return shelf
