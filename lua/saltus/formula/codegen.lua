-- Lua code of the numbers and the comparisons of a formula. Margins are computed by arithmetic, min and max only, so
-- that the closure compiler can turn a condition into a program.
--
--   local chunk = codegen.new(found, read, certain)
--     found: of saltus.formula.meaning; read(node, meaning) returns the code of a path; certain: the margin of what is
--     true without degrees, such as the equality of two modes
--   chunk:margin(node), chunk:number(node)     code of expressions
--   chunk:closure("c", code)                   function(c) return CODE end
local meaning = require "saltus.formula.meaning"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local codegen = {}

local own_functions = {}
for _, fn in pairs(meaning.functions) do own_functions[fn] = true end

local LEAST = 5e-324 -- subtracted where equality is not enough: it changes only a margin of 0

local Chunk = {}
Chunk.__index = Chunk

-- The upvalue for a function.
function Chunk:upvalue(fn)
  if not self.name_of[fn] then
    self.values[#self.values + 1] = fn
    self.name_of[fn] = "f" .. #self.values
  end
  return self.name_of[fn]
end

local operators = { ["+"] = true, ["-"] = true, ["*"] = true, ["/"] = true, ["^"] = true }

local function literal(value)
  if value == math.huge then return "1e999" end
  local text = numerals.format("%.17g", value)
  return text:find "[.eEn]" and text or text .. ".0"
end

-- A user's function that must return something to compute with.
local function checked(fn, name)
  if own_functions[fn] then return fn end
  return function(...)
    local value = fn(...)
    names.check(type(value) == "number" or type(value) == "boolean", value,
      "the function %q of a formula must return a number or a boolean", name)
    return value
  end
end

function Chunk:call(node)
  local list = names.map(node, function(argument) return self:number(argument) end)
  local fn = checked(self.found[node].call, node.name)
  return ("%s(%s)"):format(self:upvalue(fn), table.concat(list, ", "))
end

function Chunk:number(node)
  if node.op == "number" then return literal(node.value) end
  if node.op == "path" then return self.read(node, self.found[node]) end
  if node.op == "call" then return self:call(node) end
  if node.op == "neg" then return ("(-%s)"):format(self:number(node[1])) end
  assert(operators[node.op], node.op)
  return ("(%s %s %s)"):format(self:number(node[1]), node.op, self:number(node[2]))
end

-- Returns a function that makes a margin of what a user's function returned.
local function truth_of(margin)
  return function(value)
    if type(value) == "boolean" then return value and margin or -margin end
    return value
  end
end

local function quoted_or_number(chunk, node)
  return node.op == "mode" and ("%q"):format(node.value) or chunk:number(node)
end

-- The margin of what is true or false, without degrees.
function Chunk:equality(node, equal)
  local margin = literal(self.certain)
  return ("(%s %s %s and %s or -%s)"):format(quoted_or_number(self, node[1]), equal and "==" or "~=",
    quoted_or_number(self, node[2]), margin, margin)
end

local function is_zero(node) return node.op == "number" and node.value == 0 end

function Chunk:difference(a, b)
  if is_zero(b) then return self:number(a) end
  if is_zero(a) then return ("(-%s)"):format(self:number(b)) end
  return ("(%s - %s)"):format(self:number(a), self:number(b))
end

-- The margin of a comparison, or of its opposite.
function Chunk:comparison(node, negated)
  local op = negated and meaning.inverse[node.op] or node.op
  if op == "==" or op == "~=" then return self:equality(node, op == "==") end
  local left, right = node[1], node[2]
  if op == "<" or op == "<=" then left, right = right, left end
  local code = self:difference(left, right)
  if op == "<" or op == ">" then return ("(%s - %s)"):format(code, literal(LEAST)) end
  return code
end

-- Adds the margins of a chain like a and b and c to a list.
function Chunk:operands(node, negated, list)
  local op = node.op
  if op == "->" then
    list[1], list[2] = self:margin(node[1], not negated), self:margin(node[2], negated)
    return
  end
  for _, child in ipairs(node) do
    if child.op == op then self:operands(child, negated, list) else list[#list + 1] = self:margin(child, negated) end
  end
end

-- A balanced tree of calls, because Lua reads about 200 brackets inside each other.
function Chunk:joined(pick, list, first, last)
  if first == last then return list[first] end
  local middle = (first + last) // 2
  return ("%s(%s, %s)"):format(pick, self:joined(pick, list, first, middle), self:joined(pick, list, middle + 1, last))
end

-- The margin of a condition without temporal operators, or of its opposite.
function Chunk:margin(node, negated)
  local op = node.op
  negated = negated or false
  if op == "not" then return self:margin(node[1], not negated) end
  if op == "and" or op == "or" or op == "->" then
    local pick, list = (op == "and") ~= negated and math.min or math.max, {}
    self:operands(node, negated, list)
    return self:joined(self:upvalue(pick), list, 1, #list)
  end
  if op == "call" then
    local code = ("%s(%s)"):format(self:upvalue(self.truth), self:call(node))
    return negated and ("(-%s - %s)"):format(code, literal(LEAST)) or code
  end
  return self:comparison(node, negated)
end

-- Returns function(PARAMETERS) return CODE end.
function Chunk:closure(parameters, code)
  local list = {}
  for i = 1, #self.values do list[i] = "f" .. i end
  local upvalues = #list > 0 and ("local %s = ...\n"):format(table.concat(list, ", ")) or ""
  local text = ("%sreturn function(%s) return %s end"):format(upvalues, parameters, code)
  local made = load(text, names.own_chunk "formula", "t", {})
  names.fail_if(not made, "the formula has too long a sum or too many brackets")
  return made(table.unpack(self.values))
end

function codegen.new(found, read, certain)
  return setmetatable({ found = found, read = read, certain = certain, truth = truth_of(certain), values = {},
    name_of = {} }, Chunk)
end

return codegen
