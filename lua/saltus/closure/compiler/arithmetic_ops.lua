-- The instructions that calculate, load, compare, jump and loop; interpreter.lua describes their arguments and results.
local Emitter = require "saltus.closure.compiler.emitter"
local powers = require "saltus.closure.powers"
local types = require "saltus.closure.compiler.types"

local reject = Emitter.reject
local straight, leading = {}, {}

-- ---- calculations ----

-- Integers are exact in doubles up to 2^53, and never -0. EXACT gives up if the result would differ from Lua's.
local exact = { ADD = true, SUB = true, MUL = true, MOD = true, IDIV = true, UNM = true }
local makes_zeros = { MUL = true, MOD = true, IDIV = true, UNM = true } -- of either sign; integers have one zero

local function calculate(frame, st, out, op, r, x, y)
  local to, kx, ky, py = frame:place(r), types.number(x.kind), types.number(y.kind), y.place
  local is_float = kx == "float" or ky == "float" or op == "POW"
  if op == "POW" then op = powers.operation end
  if op == "POW" and py == frame.b:constant(2) then op, py = "MUL", x.place end
  out:emit(op, to, x.place, py)
  if not exact[op] or is_float then
    st.kind[r] = "float"
    return
  end
  if makes_zeros[op] and kx == "integer" and ky == "integer" then out:emit("ADD", to, to, frame.b:constant(0)) end
  out:emit("EXACT", to)
  st.kind[r] = kx == ky and kx or "number"
end

for _, op in ipairs { "ADD", "SUB", "MUL", "MOD", "POW", "DIV", "IDIV" } do
  straight[op] = function(frame, st, out, i)
    calculate(frame, st, out, op, i.a, frame:number(st, i.b), frame:number(st, i.c))
  end
  straight[op .. "K"] = function(frame, st, out, i)
    calculate(frame, st, out, op, i.a, frame:number(st, i.b), frame:constant(i.c))
  end
end

function straight.ADDI(frame, st, out, i)
  calculate(frame, st, out, "ADD", i.a, frame:number(st, i.b), frame:value(i.sc))
end

function straight.UNM(frame, st, out, i)
  local x = frame:number(st, i.b)
  calculate(frame, st, out, "UNM", i.a, x, { place = 0, kind = x.kind })
end

function straight.NOT(frame, st, out, i)
  local truth = frame.b:truth(st.kind[i.b] or reject "it negates a value of unknown type")
  if truth ~= nil then return frame:put(st, out, i.a, frame:value(not truth)) end
  out:emit("NOT", frame:place(i.a), frame:place(i.b))
  st.kind[i.a] = "boolean"
end

-- ---- loads ----

function straight.MOVE(frame, st, out, i) frame:put(st, out, i.a, frame:register(st, i.b)) end

function straight.LOADI(frame, st, out, i) frame:put(st, out, i.a, frame:value(i.sbx)) end

function straight.LOADF(frame, st, out, i) frame:put(st, out, i.a, frame:value(i.sbx + 0.0)) end

function straight.LOADK(frame, st, out, i) frame:put(st, out, i.a, frame:constant(i.bx)) end

function straight.LOADTRUE(frame, st, out, i) frame:put(st, out, i.a, frame:value(true)) end

function straight.LOADFALSE(frame, st, out, i) frame:put(st, out, i.a, frame:value(false)) end

function straight.LOADNIL(_, st, _, i)
  for r = i.a, i.a + i.b do st.kind[r] = "nil" end
end

function leading.LFALSESKIP(frame, st, out, i, pc)
  straight.LOADFALSE(frame, st, out, i)
  return pc + 2
end

-- ---- comparisons and jumps ----

function leading.JMP(_, _, _, i, pc) return pc + 1 + i.sj end

-- Where the comparison at pc leads: to the target of the jump that follows it, or past that jump.
local function ways(frame, pc) return pc + 2 + frame.proto.code[pc + 1].sj, pc + 2 end

-- Jumps if the result of `test` on two places equals the instruction's k.
local function branch(frame, out, i, pc, test, x, y)
  local taken, other = ways(frame, pc)
  out:jump((i.k and "J" or "JN") .. test, frame:label(taken), x, y)
  return other, taken
end

-- A test whose result is known.
local function known_branch(frame, i, pc, truth)
  local taken, other = ways(frame, pc)
  return truth == i.k and taken or other
end

local function with_register(frame, st, i) return frame:number(st, i.b) end

local function with_number(frame, _, i) return frame:value(i.sb) end

local function compare(test, second_of, is_swapped)
  return function(frame, st, out, i, pc)
    local x, y = frame:number(st, i.a).place, second_of(frame, st, i).place
    if is_swapped then x, y = y, x end
    return branch(frame, out, i, pc, test, x, y)
  end
end

leading.LT, leading.LE = compare("LT", with_register), compare("LE", with_register)
leading.LTI, leading.LEI = compare("LT", with_number), compare("LE", with_number)
leading.GTI, leading.GEI = compare("LT", with_number, true), compare("LE", with_number, true)

-- Modes and strings have separate numbers: the string's number as a value of the mode is compared.
local function equal_mode(frame, out, i, pc, mode, text)
  if #text.kind.list > 1 then reject "it compares a mode with one of several strings" end
  for k, value in ipairs(mode.kind.e.values) do
    if value == text.kind.list[1] then
      return branch(frame, out, i, pc, "EQ", mode.place, frame.b:constant(k))
    end
  end
  return known_branch(frame, i, pc, false)
end

-- Compares two values for equality.
local function class_of(kind)
  if types.number(kind) then return "number" end
  return type(kind) == "table" and kind.is or kind
end

local comparable = { number = true, boolean = true, texts = true }

local function equal(frame, out, i, pc, x, y)
  if types.is(y.kind, "mode") then x, y = y, x end
  local cx, cy = class_of(x.kind), class_of(y.kind)
  if cx == cy and comparable[cx] then return branch(frame, out, i, pc, "EQ", x.place, y.place) end
  if cx == "mode" and cy == "texts" then return equal_mode(frame, out, i, pc, x, y) end
  if cx == "nil" and (cy == "nil" or cy == "number") or cx == "number" and cy == "nil" then
    return known_branch(frame, i, pc, cx == cy)
  end
  reject "it compares values that are not numbers"
end

function leading.EQ(frame, st, out, i, pc)
  return equal(frame, out, i, pc, frame:register(st, i.a), frame:register(st, i.b))
end

function leading.EQK(frame, st, out, i, pc)
  return equal(frame, out, i, pc, frame:register(st, i.a), frame:constant(i.b))
end

function leading.EQI(frame, st, out, i, pc)
  return equal(frame, out, i, pc, frame:register(st, i.a), frame:value(i.sb))
end

function leading.TEST(frame, st, out, i, pc)
  local truth = frame.b:truth(st.kind[i.a] or reject "it tests a value of unknown type")
  if truth ~= nil then return known_branch(frame, i, pc, truth) end
  return branch(frame, out, i, pc, "EQ", frame:place(i.a), frame.b:constant(1))
end

-- As TEST; if it jumps, the register gets the value.
function leading.TESTSET(frame, st, out, i, pc)
  local kind = st.kind[i.b] or reject "it tests a value of unknown type"
  local truth = frame.b:truth(kind)
  local taken, other = ways(frame, pc)
  if truth ~= nil and truth ~= i.k then return other end
  local st_taken = types.copy(st)
  if truth ~= nil then
    frame:put(st_taken, out, i.a, frame:register(st, i.b))
    return taken, nil, st_taken
  end
  st_taken.kind[i.a] = kind
  out:emit("SELECT", frame:place(i.a), frame:place(i.b), frame.b:constant(i.k and 1 or 0), frame:place(i.a))
  branch(frame, out, i, pc, "EQ", frame:place(i.b), frame.b:constant(1))
  return other, taken, nil, st_taken
end

-- ---- loops ----

-- The kind of a loop's variable, and whether it counts up. If start and step are integers, Lua rounds a float limit;
-- comparing with the unrounded limit gives the same result.
local function start_of(st, a)
  local first, by = types.number(st.kind[a]), st.kind[a + 2]
  if not first or not types.number(st.kind[a + 1]) or not types.is(by, "known") or by.value == 0 then
    reject "it has a loop whose step is not known"
  end
  return first, by.value > 0
end

function leading.FORPREP(frame, st, out, i, pc)
  local kind, up = start_of(st, i.a)
  local first, last = frame:place(i.a), frame:place(i.a + 1)
  if not up then first, last = last, first end
  local skip = pc + 2 + i.bx
  if kind == "float" then -- NaN does not skip the loop
    out:jump("JLT", frame:label(skip), last, first)
  else
    if kind ~= "integer" or not up and types.number(st.kind[i.a + 1]) ~= "integer" then -- but the limit may be NaN
      out:emit("EXACT", first)
      out:emit("EXACT", last)
    end
    out:jump("JNLE", frame:label(skip), first, last)
  end
  st.kind[i.a] = kind
  local st_skip = types.copy(st)
  frame:put(st, out, i.a + 3, frame:register(st, i.a))
  return pc + 1, skip, nil, st_skip
end

function leading.FORLOOP(frame, st, out, i, pc)
  local kind, up = start_of(st, i.a)
  local at, last = frame:place(i.a), frame:place(i.a + 1)
  out:emit("ADD", at, at, frame:place(i.a + 2))
  frame:put(st, out, i.a + 3, { place = at, kind = kind })
  local back = pc + 1 - i.bx
  out:jump("JLE", frame:label(back), up and at or last, up and last or at)
  return pc + 1, back
end

return { straight = straight, leading = leading }
