-- Conditions as programs of the core (src/tape/bytecode_vm.h): a watch of words is then computed without Lua, with the
-- bits of the Lua function that saltus.formula.codegen writes.
--
--   program.of(node, found, negated)   { code =, registers =, constants = { { register, value } },
--     loads = { { register, kind, part, partition, at } } }; nil if it calls a function of the user
local constants = require("saltus.core").constants
local meaning = require "saltus.formula.meaning"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local powers = require "saltus.closure.powers"

local program = {}

local op_number = {}
for i, name in ipairs(require("saltus.core").program_operations()) do op_number[name] = i - 1 end

local LEAST = 5e-324
local MOST = 60000 -- registers and instructions

local Program = {}
Program.__index = Program

function Program:register()
  self.count = self.count + 1
  return self.count - 1
end

function Program:constant(value)
  local key = numerals.format("%.17g", value)
  if not self.constant_of[key] then
    self.constant_of[key] = self:register()
    table.insert(self.constants, { self.constant_of[key], value + 0.0 })
  end
  return self.constant_of[key]
end

function Program:put(op, a, b, c) self.code[#self.code + 1] = { op_number[op], a, b or 0, c or 0 } end

function Program:compute(op, b, c)
  local a = self:register()
  self:put(op, a, b, c)
  return a
end

-- ---- numbers ----

local KINDS = { input = 1, output = 2 } -- of loads; 0: an element of the context; 3: the time

function Program:load(node)
  local m = self.found[node]
  if self.load_of[m.path] then return self.load_of[m.path] end
  local e, register = m.entry, self:register()
  local kind = m.time and 3 or KINDS[e.partition] or 0
  local at = kind == 0 and e.offset or kind < 3 and e.index or 0
  local offset = (m.index or 1) - 1
  table.insert(self.loads, { register, kind, m.part or 1, kind == 0 and constants.partition[e.partition] or offset,
    kind == 0 and at + offset or at })
  self.load_of[m.path] = register
  return register
end

local lockstep = require("saltus.core").math
local unary = { [math.abs] = "ABS", [math.sqrt] = "SQRT", [math.exp] = "EXP", [math.log] = "LOG", [math.sin] = "SIN",
  [math.cos] = "COS", [math.tan] = "TAN", [math.floor] = "FLOOR", [math.ceil] = "CEIL",
  [lockstep.sin] = "SINE", [lockstep.cos] = "COSINE", [lockstep.tan] = "TANGENT", [lockstep.exp] = "EXPONENTIAL",
  [lockstep.log] = "LOGARITHM" }
local binary = { [lockstep.pow] = "POWER", [lockstep.atan2] = "ARCTANGENT", [lockstep.hypot] = "HYPOTENUSE" }
local chained = { [math.min] = "MIN", [math.max] = "MAX" }
local operators = { ["+"] = "ADD", ["-"] = "SUB", ["*"] = "MUL", ["/"] = "DIV", ["^"] = powers.operation }

-- nil for a function that the core does not have.
function Program:call(node)
  local fn = self.found[node].call
  local list = {}
  for i, argument in ipairs(node) do
    list[i] = self:number(argument)
    if not list[i] then return nil end
  end
  if unary[fn] and #list == 1 then return self:compute(unary[fn], list[1]) end
  if binary[fn] and #list == 2 then return self:compute(binary[fn], list[1], list[2]) end
  if fn == math.atan and #list > 0 and #list < 3 then
    return self:compute("ATAN", list[1], list[2] or self:constant(1))
  end
  if not chained[fn] or #list == 0 then return nil end
  local result = list[1]
  for i = 2, #list do result = self:compute(chained[fn], result, list[i]) end
  return result
end

function Program:number(node)
  if node.op == "number" then return self:constant(node.value) end
  if node.op == "path" then return self:load(node) end
  if node.op == "call" then return self:call(node) end
  local left = self:number(node[1])
  local right = node[2] and self:number(node[2])
  if node.op == "neg" then return left and self:compute("UNM", left) end
  return left and right and self:compute(operators[node.op], left, right)
end

-- ---- conditions ----

-- The registers of two sides; a mode is the number of its name.
function Program:sides(node)
  local modes
  for _, side in ipairs(node) do
    local of = side.op == "path" and (self.found[side] or {}).entry
    local values = of and of.values
    if values and modes and table.concat(values, "\0") ~= table.concat(modes, "\0") then return nil end
    modes = modes or values
  end
  local registers = names.map(node, function(side)
    return side.op == "mode" and self:constant(names.index_of(modes, side.value)) or self:number(side)
  end)
  return registers[1], registers[2]
end

function Program:equality(node, equal)
  local left, right = self:sides(node)
  if not (left and right) then return nil end
  local result = self:compute("MOVE", self:constant(equal and 1 or -1))
  self:put("JEQ", left, right, #self.code + 2)
  self:put("MOVE", result, self:constant(equal and -1 or 1))
  return result
end

function Program:comparison(node, negated)
  local op = negated and meaning.inverse[node.op] or node.op
  if op == "==" or op == "~=" then return self:equality(node, op == "==") end
  local left, right = self:number(node[1]), self:number(node[2])
  if not (left and right) then return nil end
  if op == "<" or op == "<=" then left, right = right, left end
  local result = self:compute("SUB", left, right)
  return (op == "<" or op == ">") and self:compute("SUB", result, self:constant(LEAST)) or result
end

function Program:margin(node, negated)
  local op = node.op
  if op == "not" then return self:margin(node[1], not negated) end
  if op == "call" then return nil end
  if op ~= "and" and op ~= "or" and op ~= "->" then return self:comparison(node, negated) end
  local left, right = self:margin(node[1], negated ~= (op == "->")), self:margin(node[2], negated)
  return left and right and self:compute((op == "and") ~= negated and "MIN" or "MAX", left, right)
end

function program.of(node, found, negated)
  local p = setmetatable({ found = found, count = 1, code = {}, constants = {}, constant_of = {}, loads = {},
    load_of = {} }, Program) -- register 0: the result
  local result = p:margin(node, negated or false)
  if not result or p.count > MOST or #p.code > MOST then return nil end
  p:put("MOVE", 0, result)
  p:put("END", 0)
  local words = names.map(p.code, function(c) return string.pack("=I2I2I2I2I2", c[1], c[2], c[3], c[4], 0) end)
  local registers = math.max(p.count, #p.code) -- the core compares targets of jumps with registers too
  return { code = table.concat(words), registers = registers, constants = p.constants, loads = p.loads }
end

return program
