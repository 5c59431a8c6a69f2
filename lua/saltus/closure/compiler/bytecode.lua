-- Reads the instructions and constants of a function from its binary chunk (string.dump). The layout is that of ldump.c
-- and lopcodes.h of PUC-Rio's Lua 5.4.
local dump = require("saltus.core").dump

local bytecode = {}

local HEADER = "\27Lua\x54\0\x19\x93\r\n\x1a\n" .. string.char(4, 8, 8) .. string.pack("<i8d", 0x5678, 370.5)

-- The names of instructions, by number.
local names = { [0] = "MOVE", "LOADI", "LOADF", "LOADK", "LOADKX", "LOADFALSE", "LFALSESKIP", "LOADTRUE", "LOADNIL",
  "GETUPVAL", "SETUPVAL", "GETTABUP", "GETTABLE", "GETI", "GETFIELD", "SETTABUP", "SETTABLE", "SETI", "SETFIELD",
  "NEWTABLE", "SELF", "ADDI", "ADDK", "SUBK", "MULK", "MODK", "POWK", "DIVK", "IDIVK", "BANDK", "BORK", "BXORK",
  "SHRI", "SHLI", "ADD", "SUB", "MUL", "MOD", "POW", "DIV", "IDIV", "BAND", "BOR", "BXOR", "SHL", "SHR", "MMBIN",
  "MMBINI", "MMBINK", "UNM", "BNOT", "NOT", "LEN", "CONCAT", "CLOSE", "TBC", "JMP", "EQ", "LT", "LE", "EQK", "EQI",
  "LTI", "LEI", "GTI", "GEI", "TEST", "TESTSET", "CALL", "TAILCALL", "RETURN", "RETURN0", "RETURN1", "FORLOOP",
  "FORPREP", "TFORPREP", "TFORCALL", "TFORLOOP", "SETLIST", "CLOSURE", "VARARG", "VARARGPREP", "EXTRAARG" }

-- Reads a chunk's bytes in order.
local Reader = {}
Reader.__index = Reader

function Reader:take(format)
  local value
  value, self.at = format:unpack(self.chunk, self.at)
  return value
end

function Reader:byte() return self:take "B" end

-- A number in groups of seven bits; the last byte has its high bit set.
function Reader:size()
  local value = 0
  repeat
    local byte = self:byte()
    value = value << 7 | byte & 0x7f
  until byte & 0x80 ~= 0
  return value
end

function Reader:string()
  local size = self:size()
  if size == 0 then return nil end
  self.at = self.at + size - 1
  return self.chunk:sub(self.at - size + 1, self.at - 1)
end

local constant_of = {
  [0] = function() return { value = nil } end,
  [1] = function() return { value = false } end,
  [17] = function() return { value = true } end,
  [3] = function(r) return { value = r:take "<i8" } end,
  [19] = function(r) return { value = r:take "<d" } end,
  [4] = function(r) return { value = r:string() } end,
  [20] = function(r) return { value = r:string() } end,
}

local function instruction(word)
  return { op = names[word & 0x7f], a = word >> 7 & 0xff, k = word >> 15 & 1 == 1, b = word >> 16 & 0xff,
    c = word >> 24, bx = word >> 15, sbx = (word >> 15) - 65535, sb = (word >> 16 & 0xff) - 127,
    sc = (word >> 24) - 127, sj = (word >> 7) - 16777215 }
end

local decode_function

-- Reads what follows the constants: where the upvalues are in the function around this one, and inner functions.
local function decode_inner(r, proto)
  proto.upvalues, proto.inner = {}, {}
  for i = 1, r:size() do
    proto.upvalues[i] = { in_stack = r:byte() ~= 0, index = r:byte() }
    r:byte() -- its kind
  end
  for i = 1, r:size() do proto.inner[i] = decode_function(r) end
end

-- Reads debug information; a stripped function has none. proto.lines has the line of each instruction.
local function decode_lines(r, proto, first)
  local line, steps, absolute = first, {}, {}
  for i = 0, r:size() - 1 do steps[i] = r:take "b" end
  for _ = 1, r:size() do
    local pc = r:size()
    absolute[pc] = r:size()
  end
  for _ = 1, r:size() do -- variables
    r:string()
    r:size()
    r:size()
  end
  for _ = 1, r:size() do r:string() end -- upvalues
  proto.lines = {}
  for i = 0, #steps do
    line = absolute[i] or steps[i] and line + steps[i] or line
    proto.lines[i] = line
  end
end

function decode_function(r)
  r:string() -- source
  local first = r:size()
  r:size() -- last line
  local proto = { params = r:byte(), vararg = r:byte() ~= 0, registers = r:byte(), code = {}, constants = {} }
  for i = 0, r:size() - 1 do proto.code[i] = instruction(r:take "<I4") end
  for i = 0, r:size() - 1 do proto.constants[i] = constant_of[r:byte()](r) end
  decode_inner(r, proto)
  decode_lines(r, proto, first)
  return proto
end

local function decode(chunk)
  if chunk:sub(1, #HEADER) ~= HEADER then return nil end
  return decode_function(setmetatable({ chunk = chunk, at = #HEADER + 2 }, Reader)) -- skips the number of upvalues
end

-- A function, and the names of its instructions: a Lua that numbers or writes them otherwise gives others.
local PROBE = [[local k, f = ...
  return function(a, b)
    local c = a.x * 2.5 + b[1] - k / 3
    if c < 1 or a == b and not c then c = -c // 2 elseif c >= b then c = f(a, "x") end
    for i = 1, 3 do c = c % i + c ^ 2 end
    while c > 5 do c = c - 1.5 b.y, b[i] = c, #a end
    return f(c, a.x), { 1, a }
  end]]
local PROBED = "GETFIELD MULK MMBINK GETI ADD MMBIN GETUPVAL DIVK MMBINK SUB MMBIN LTI JMP EQ JMP TEST JMP UNM IDIVK "
  .. "MMBINK JMP LE JMP GETUPVAL MOVE LOADK CALL MOVE LOADI LOADI LOADI FORPREP MOD MMBIN POWK MMBINK ADD MMBIN "
  .. "FORLOOP GTI JMP SUBK MMBINK GETTABUP MOVE LEN SETTABLE SETFIELD JMP GETUPVAL MOVE GETFIELD CALL NEWTABLE "
  .. "EXTRAARG LOADI MOVE SETLIST RETURN RETURN0"

local function probe()
  local proto, words = decode(dump(load(PROBE, "=probe", "t")(1))), {}
  if not proto then return nil end
  for i = 0, #proto.code do words[#words + 1] = proto.code[i].op end
  return table.concat(words, " ")
end

local is_known -- nil: not probed yet

-- Whether the bytecode of this Lua is the one that is read here.
function bytecode.is_known()
  if is_known == nil then
    local ok, words = pcall(probe)
    is_known = ok and words == PROBED
  end
  return is_known
end

local protos = setmetatable({}, { __mode = "v" })

-- { params =, vararg =, registers =, code = instructions from 0 on, constants = { value = } from 0 on, inner = the
-- functions in it, upvalues = { { in_stack =, index = } } }, and the chunk; nil if it is not a Lua function, or from
-- another version.
function bytecode.of(fn)
  local chunk = bytecode.is_known() and dump(fn)
  if not chunk then return nil end
  protos[chunk] = protos[chunk] or decode(chunk)
  return protos[chunk], chunk
end

-- The same with lines = the line of each instruction, from 0 on; nil likewise.
function bytecode.with_lines(fn)
  local chunk = dump(fn, true)
  return chunk and decode(chunk) or nil
end

return bytecode
