-- Finds what a function can reach through its upvalues and the tables there, from its instructions: each value that it
-- loads, and each power. It follows the tables in registers from instruction to instruction. A table that it reads by
-- known names gives the values of these names only; a table that goes elsewhere (as an argument, into another table,
-- or read by a computed key) gives everything in it.
local core = require "saltus.core"
local bytecode = require "saltus.closure.compiler.bytecode"
local names = require "saltus.util.names"

local getupvalue = core.getupvalue

local Reach = {}
Reach.__index = Reach

-- ---- tables ----

local function raw_field(of, key)
  for _ = 1, 100 do
    local value = rawget(of, key)
    if value ~= nil then return value end
    local meta = core.getmetatable(of)
    local index = type(meta) == "table" and rawget(meta, "__index")
    if type(index) ~= "table" then return nil, index end
    of = index
  end
end

-- A global variable. A host may have environments whose metatable finds it.
local function global(environment, name)
  local ok, value = pcall(function() return environment[name] end)
  return ok and value or nil
end

-- Visits everything in a table, in the tables in it and in their metatables.
function Reach:everything(of, line)
  if self.whole[of] or self.is_known_table(of) then return end
  if self.environments[of] then return self.visit.environment(line) end
  self.whole[of] = true
  for key, value in next, of do
    if type(value) ~= "number" then self:value(value, line) end
    if type(key) == "function" or type(key) == "table" then self:value(key, line) end
    if type(value) == "table" then self:everything(value, line) end
  end
  local meta = core.getmetatable(of)
  if type(meta) == "table" then self:everything(meta, line) end
end

-- ---- registers ----

-- A state has, by register, the set of tables that it may hold.
local function merge(into, from)
  local grown = false
  for r, tables in pairs(from) do
    into[r] = into[r] or {}
    for of in pairs(tables) do
      if not into[r][of] then into[r][of], grown = true, true end
    end
  end
  return grown
end

-- The follower of one function: `at` is the line of the instruction.
local Frame = {}
Frame.__index = Frame

function Frame:escape(st, first, last)
  for r = first, last or first do
    for of in pairs(st[r] or {}) do self.reach:everything(of, self.line) end
  end
end

function Frame:escape_from(st, first)
  for r in pairs(st) do if r >= first then self:escape(st, r) end end
end

local function clear(st, first, last)
  for r = first, last or first do st[r] = nil end
end

local function clear_from(st, first)
  for r in pairs(st) do if r >= first then st[r] = nil end end
end

-- Puts a value that was found into a register.
function Frame:put(st, r, value)
  self.reach:value(value, self.line)
  if type(value) ~= "table" then return end
  st[r] = st[r] or {}
  st[r][value] = true
  if self.captured[r] then self:escape(st, r) end
end

-- Puts field `key` of each of these tables into a register.
function Frame:get(st, r, tables, key)
  st[r] = nil
  for of in pairs(tables or {}) do
    local value, index = raw_field(of, key)
    if self.reach.environments[of] then
      value = global(of, key)
    elseif type(index) == "function" and not self.reach.is_known_table(of) then
      self.reach:value(index, self.line)
    end
    if value ~= nil then self:put(st, r, value) end
  end
end

function Frame:copy(st, to, from)
  st[to] = nil
  if not st[from] then return end
  st[to] = {}
  for of in pairs(st[from]) do st[to][of] = true end
  if self.captured[to] then self:escape(st, to) end
end

function Frame:upvalue(i)
  local value = self.upvalue_of(i)
  return type(value) == "table" and { [value] = true } or {}
end

-- ---- instructions: op(frame, st, i) changes the state ----

local op = {}

local function constant(frame, i) return frame.proto.constants[i].value end

function op.MOVE(frame, st, i) frame:copy(st, i.a, i.b) end

function op.GETUPVAL(frame, st, i)
  st[i.a] = nil
  frame:put(st, i.a, frame.upvalue_of(i.b))
end

function op.SETUPVAL(frame, st, i) frame:escape(st, i.a) end

function op.GETTABUP(frame, st, i) frame:get(st, i.a, frame:upvalue(i.b), constant(frame, i.c)) end

function op.GETFIELD(frame, st, i) frame:get(st, i.a, st[i.b], constant(frame, i.c)) end

function op.GETI(frame, st, i) frame:get(st, i.a, st[i.b], i.c) end

function op.GETTABLE(frame, st, i)
  frame:escape(st, i.b)
  frame:escape(st, i.c)
  st[i.a] = nil
end

function op.SELF(frame, st, i)
  local tables = st[i.b]
  frame:copy(st, i.a + 1, i.b)
  if i.k then return frame:get(st, i.a, tables, constant(frame, i.c)) end
  frame:escape(st, i.a + 1)
  st[i.a] = nil
end

-- A value that is written into a table, or to a global variable.
local function write(frame, st, i)
  if not i.k then frame:escape(st, i.c) end
end

op.SETTABUP, op.SETI, op.SETFIELD = write, write, write

function op.SETTABLE(frame, st, i)
  frame:escape(st, i.b)
  write(frame, st, i)
end

function op.LOADNIL(_, st, i) clear(st, i.a, i.a + i.b) end

-- Operators of one and two values, whose metamethods may run.
local function operate(frame, st, i)
  frame:escape(st, i.b)
  frame:escape(st, i.c)
  st[i.a] = nil
end

local function operate_on_one(frame, st, i)
  frame:escape(st, i.b)
  st[i.a] = nil
end

for _, name in ipairs { "ADD", "SUB", "MUL", "MOD", "POW", "DIV", "IDIV", "BAND", "BOR", "BXOR", "SHL", "SHR" } do
  op[name] = operate
end
for _, name in ipairs { "UNM", "BNOT", "LEN", "ADDI", "SHRI", "SHLI" } do op[name] = operate_on_one end

function op.CONCAT(frame, st, i)
  frame:escape(st, i.a, i.a + i.b - 1)
  st[i.a] = nil
end

function op.LT(frame, st, i)
  frame:escape(st, i.a)
  frame:escape(st, i.b)
end

op.LE = op.LT

function op.TESTSET(frame, st, i) frame:copy(st, i.a, i.b) end

function op.CALL(frame, st, i)
  if i.b == 0 then frame:escape_from(st, i.a) else frame:escape(st, i.a, i.a + i.b - 1) end
  clear_from(st, i.a)
end

op.TAILCALL = op.CALL

function op.RETURN(frame, st, i)
  if i.b == 0 then frame:escape_from(st, i.a) else frame:escape(st, i.a, i.a + i.b - 2) end
end

function op.RETURN1(frame, st, i) frame:escape(st, i.a) end

function op.FORPREP(_, st, i) clear(st, i.a, i.a + 3) end

op.FORLOOP = op.FORPREP

function op.TFORCALL(frame, st, i)
  frame:escape(st, i.a, i.a + 2)
  clear(st, i.a + 4, i.a + 3 + i.c)
end

function op.SETLIST(frame, st, i)
  if i.b == 0 then frame:escape_from(st, i.a + 1) else frame:escape(st, i.a + 1, i.a + i.b) end
end

function op.CLOSURE(frame, st, i)
  st[i.a] = nil
  local inner = frame.proto.inner[i.bx + 1]
  frame.reach:proto(inner, frame.source, function(n)
    local upvalue = inner.upvalues[n + 1]
    if upvalue.in_stack then
      frame:escape(st, upvalue.index)
      return nil
    end
    return frame.upvalue_of(upvalue.index)
  end)
end

function op.VARARG(_, st, i) clear_from(st, i.a) end

-- Instructions that only compare, jump or check.
for name in ("EQ EQK EQI LTI LEI GTI GEI TEST JMP CLOSE TBC MMBIN MMBINI MMBINK RETURN0 TFORPREP TFORLOOP "
  .. "VARARGPREP EXTRAARG"):gmatch "%S+" do
  op[name] = function() end
end

local function load(_, st, i) st[i.a] = nil end

-- ---- the order of instructions ----

local jumps = { JMP = function(pc, i) return pc + 1 + i.sj end }
local skips = { LFALSESKIP = true, EQ = true, LT = true, LE = true, EQK = true, EQI = true, LTI = true, LEI = true,
  GTI = true, GEI = true, TEST = true, TESTSET = true, LOADKX = true }

-- Where instruction i at pc may lead.
local function following(pc, i)
  if jumps[i.op] then return { jumps[i.op](pc, i) } end
  if i.op == "RETURN" or i.op == "RETURN0" or i.op == "RETURN1" then return {} end
  if i.op == "FORPREP" then return { pc + 1, pc + 2 + i.bx } end
  if i.op == "FORLOOP" then return { pc + 1, pc + 1 - i.bx } end
  if i.op == "TFORPREP" then return { pc + 1 + i.bx } end
  if i.op == "TFORLOOP" then return { pc + 1, pc + 1 - i.bx } end
  return skips[i.op] and { pc + 1, pc + 2 } or { pc + 1 }
end

local function captured_registers(proto)
  local captured = {}
  for _, inner in ipairs(proto.inner) do
    for _, upvalue in ipairs(inner.upvalues) do
      if upvalue.in_stack then captured[upvalue.index] = true end
    end
  end
  return captured
end

local function copy(st)
  local out = {}
  merge(out, st)
  return out
end

-- Follows the code of a function, whose upvalue number i (from 0) has the value upvalue_of(i).
function Reach:proto(proto, source, upvalue_of)
  local frame = setmetatable({ reach = self, proto = proto, source = source, upvalue_of = upvalue_of,
    captured = captured_registers(proto) }, Frame)
  local before, waiting = { [0] = {} }, { 0 }
  while #waiting > 0 do
    local pc = table.remove(waiting)
    local i, st = proto.code[pc], copy(before[pc])
    frame.line = { source = source, line = proto.lines[pc] or 0 }
    if i.op == "POW" or i.op == "POWK" then
      self.visit.power(i.op == "POWK" and constant(frame, i.c) or nil, frame.line)
    end
    (op[i.op] or load)(frame, st, i)
    for _, to in ipairs(following(pc, i)) do
      local is_new = not before[to] and proto.code[to]
      if is_new then before[to] = {} end
      if is_new or before[to] and merge(before[to], st) then
        merge(before[to], st)
        waiting[#waiting + 1] = to
      end
    end
  end
end

-- ---- values ----

-- Visits a value that is reached at a line: { source =, line = }. Functions in Lua are followed.
function Reach:value(value, line)
  if type(value) ~= "function" or self.seen[value] then return end
  if self.visit.value(value, line) then self:fn(value, line) end
end

-- A function of the library is trusted, and its upvalues may be functions of the user.
function Reach:own(fn, line)
  for i = 1, math.huge do
    local name, value = getupvalue(fn, i)
    if not name then return end
    self:value(value, line)
  end
end

function Reach:fn(fn, line)
  if self.seen[fn] then return end
  self.seen[fn] = true
  if not names.defined(fn) then return self:own(fn, line) end
  local proto = bytecode.with_lines(fn)
  if not proto then return self.visit.closed(fn) end
  self:proto(proto, core.getinfo(fn, "S").short_src, function(i)
    local name, value = getupvalue(fn, i + 1)
    if name == "_ENV" and type(value) == "table" then self.environments[value] = true end
    return value
  end)
end

local reach = {}

-- Follows fn, which is declared at `line`. `visit` has value(value, line), called for each function that is reached,
-- which returns whether to follow it; power(exponent or nil, line); environment(line) where the global variables are
-- used as a table; and closed(fn) for a function whose code cannot be read. is_known_table(value): whether a table
-- needs no visit.
function reach.of(fn, line, visit, is_known_table)
  local self = setmetatable({ visit = visit, is_known_table = is_known_table, seen = {}, whole = {},
    environments = {} }, Reach)
  self:fn(fn, line)
end

return reach
