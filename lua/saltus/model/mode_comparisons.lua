-- Finds modes that are compared with a constant that is not one of their values: another string, a number or a boolean.
-- Such a comparison is never true, so it is a mistake.
--
-- The comparisons are found in the instructions of a closure, and of the functions that it passes its ctx to: they
-- compare a register with a field of ctx and a constant. Constants in the code are checked when a simulator is made;
-- strings in an upvalue, or in a table there, when the closure is first called.
local bytecode = require "saltus.closure.compiler.bytecode"
local data_flow = require "saltus.closure.compiler.data_flow"
local names = require "saltus.util.names"

local mode_comparisons = {}

local MAX_DEPTH = 6
local getupvalue = require("saltus.core").getupvalue

-- The known content of a register: CTX (a ctx or `next`), { field = "mode" } of one, { constant = "off" }, or { upvalue
-- = number, of = function, key = name or nil }; nil for everything else.
local CTX = { "ctx" }

local function set(text)
  local out = {}
  for word in text:gmatch "%S+" do out[word] = true end
  return out
end

local writes_nothing = set [[SETUPVAL SETTABUP SETTABLE SETI SETFIELD SETLIST JMP EQ LT LE EQK EQI LTI LEI GTI GEI TEST
  RETURN RETURN0 RETURN1 EXTRAARG CLOSE TBC MMBIN MMBINI MMBINK VARARGPREP]]
local writes_one = set [[MOVE LOADI LOADF LOADK LOADFALSE LFALSESKIP LOADTRUE GETUPVAL GETTABUP GETTABLE GETI GETFIELD
  NEWTABLE ADDI ADDK SUBK MULK MODK POWK DIVK IDIVK ADD SUB MUL MOD POW DIV IDIV UNM NOT LEN CLOSURE TESTSET]]
local compares = set "EQ LT LE EQK EQI LTI LEI GTI GEI TEST TESTSET"
local ends = set "RETURN RETURN0 RETURN1"

-- The instructions that can follow the one at pc.
local function followers(i, pc)
  if ends[i.op] then return {} end
  if i.op == "JMP" then return { pc + 1 + i.sj } end
  if compares[i.op] then return { pc + 1, pc + 2 } end
  if i.op == "LFALSESKIP" then return { pc + 2 } end
  if i.op == "FORPREP" then return { pc + 1, pc + 2 + i.bx } end
  if i.op == "FORLOOP" or i.op == "TFORLOOP" then return { pc + 1, pc + 1 - i.bx } end
  if i.op == "TFORPREP" then return { pc + 1 + i.bx } end
  return { pc + 1 }
end

local function value_of(source)
  local _, value = getupvalue(source.of, source.upvalue)
  if source.key == nil then return value end
  return type(value) == "table" and rawget(value, source.key) or nil
end

local function constant(value) return value ~= nil and { constant = value } or nil end

local function constant_at(proto, k) return constant(proto.constants[k].value) end

local function field_of(holder, key)
  if holder == CTX then return { field = key } end
  if holder and holder.upvalue and holder.key == nil then
    return { upvalue = holder.upvalue, of = holder.of, key = key }
  end
  return nil
end

-- What these instructions write into their register; all others write an unknown value.
local makes = {
  MOVE = function(regs, i) return regs[i.b] end,
  LOADK = function(_, i, proto) return constant_at(proto, i.bx) end,
  LOADI = function(_, i) return constant(i.sbx) end,
  LOADF = function(_, i) return constant(i.sbx + 0.0) end,
  GETUPVAL = function(_, i, _, fn) return { upvalue = i.b + 1, of = fn } end,
  GETTABUP = function(_, i, proto, fn)
    return { upvalue = i.b + 1, of = fn, key = proto.constants[i.c].value }
  end,
  GETFIELD = function(regs, i, proto) return field_of(regs[i.b], proto.constants[i.c].value) end,
}

local function note(found, a, b)
  if b and b.field then a, b = b, a end
  if a and a.field and b and (b.constant ~= nil or b.upvalue) then found[#found + 1] = { field = a.field, with = b } end
end

local follow

-- Follows a call of a Lua function that gets a ctx, or a field of one.
local function follow_call(regs, i, found, depth)
  local callee = regs[i.a]
  local fn = callee and callee.upvalue and value_of(callee)
  if type(fn) ~= "function" or i.b == 0 then return end
  local given, call = {}, { tostring(fn) }
  for n = 1, i.b - 1 do
    local kind = regs[i.a + n]
    given[n - 1] = (kind == CTX or kind and kind.field) and kind or nil
    call[n + 1] = given[n - 1] and (kind.field or "=") or ""
  end
  local key = table.concat(call, " ")
  if next(given) == nil or found[key] then return end
  found[key] = true
  follow(fn, given, found, depth + 1)
end

local function step(regs, i, proto, fn, found, depth)
  if i.op == "EQ" then note(found, regs[i.a], regs[i.b]) end
  if i.op == "EQK" then note(found, regs[i.a], constant_at(proto, i.b)) end
  if i.op == "EQI" then note(found, regs[i.a], constant(i.sb)) end
  if i.op == "CALL" or i.op == "TAILCALL" then follow_call(regs, i, found, depth) end
  if writes_nothing[i.op] then return end
  local make = makes[i.op]
  local made = make and make(regs, i, proto, fn)
  if not writes_one[i.op] then
    for r in pairs(regs) do if r > i.a then regs[r] = nil end end
  end
  regs[i.a] = made
end

local function same(a, b)
  return a == b or a and b and a.field == b.field and a.constant == b.constant and a.upvalue == b.upvalue
    and a.of == b.of and a.key == b.key
end

-- Keeps in `into` what both states know; returns whether that is less.
local function meet(into, from)
  local less = false
  for r, kind in pairs(into) do
    if not same(kind, from[r]) then into[r], less = nil, true end
  end
  return less
end

-- Finds the known registers before each instruction, then the comparisons.
function follow(fn, given, found, depth)
  local proto = depth <= MAX_DEPTH and bytecode.of(fn)
  if not proto then return end
  local before = data_flow.of(0, given, names.merged, meet, function(regs, pc, reach)
    step(regs, proto.code[pc], proto, fn, {}, MAX_DEPTH)
    for _, to in ipairs(followers(proto.code[pc], pc)) do
      if proto.code[to] then reach(to, regs) end
    end
  end)
  for pc, regs in pairs(before) do step(regs, proto.code[pc], proto, fn, found, depth) end
end

local known = setmetatable({}, { __mode = "k" })

-- Returns { { field =, with = }, ... } of a closure with the argument ctx, and `next` as well if it is an update.
local function comparisons(fn, is_update)
  if not known[fn] then
    local found = {}
    follow(fn, { [0] = CTX, is_update and CTX or nil }, found, 1)
    known[fn] = found
  end
  return known[fn]
end

-- The value with which a mode is compared, or nil. Only strings count in a run: a variable may get another type later.
local function known_value(with, at_run)
  if with.constant ~= nil then return with.constant end
  local value = at_run and value_of(with)
  return type(value) == "string" and value or nil
end

local function check(content, fn, is_update, label, at_run)
  for _, c in ipairs(comparisons(fn, is_update)) do
    local e = content.by_name[c.field]
    local value = known_value(c.with, at_run)
    if e and e.values and value ~= nil and not names.index_of(e.values, value) then
      error(('%s: %s compares %q with %s, which is none of its values "%s"%s'):format(
        names.defined(fn) or content.source, label, e.name, names.show(value), table.concat(e.values, '", "'),
        names.near_hint(value, e.values)), 0)
    end
  end
end

local updates = { discrete_update = true, unrestricted_update = true }

-- Calls visit(fn, description, whether it is an update) for each closure of a system.
local function each_closure(content, visit)
  local function one(fn, what, is_update) if type(fn) == "function" then visit(fn, what, is_update) end end
  for _, field in ipairs { "derivatives", "constraints", "constraint_rates", "project", "velocity_map" } do
    one(content[field], field)
  end
  for _, e in ipairs(content.outputs) do one(e.fn, ("output %q"):format(e.name)) end
  for _, event in ipairs(content.events) do
    local what = ("event %q"):format(event.name)
    for _, field in ipairs { "witness", "becomes", "when", "next_time" } do
      one(event[field], ("`%s` of %s"):format(field, what))
    end
    one(event.handler, what, updates[event.kind])
    one(event.on_zeno, "on_zeno of " .. what, true)
  end
end

-- Checks all closures of a system for strings in their code.
function mode_comparisons.check_system(content)
  each_closure(content, function(fn, what, is_update)
    check(content, fn, is_update, ("%s of %q"):format(what, content.name), false)
  end)
end

-- Checks closure `c` (see saltus.closure.adapter) before its first call.
function mode_comparisons.check_call(c)
  check(c.system, c.fn, updates[c.kind], c.label, true)
end

return mode_comparisons
