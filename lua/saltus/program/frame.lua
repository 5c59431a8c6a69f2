-- One function's instructions over what their registers are known to hold (see kinds.lua): first until nothing
-- new is learnt, then once more to write the code. A function that another calls is written in its place.
local Builder = require "saltus.program.builder"
local bytecode = require "saltus.program.bytecode"
local kinds = require "saltus.program.kinds"

local Frame = {}
Frame.__index = Frame

local MOST_DEPTH = 6
local refuse = Builder.refuse

-- `node`: what was fetched to reach `fn`; nil for the closure itself.
function Frame.new(builder, fn, node, depth, looping)
  local proto = bytecode.of(fn)
  if not proto or proto.vararg or depth > MOST_DEPTH then refuse "it is no function that can be followed" end
  return setmetatable({ b = builder, node = node, proto = proto, depth = depth, places = {}, tuples = {}, inner = {},
    looping = looping, loops = Frame.loops_of(proto) }, Frame)
end

-- Which instructions a jump backwards may repeat.
function Frame.loops_of(proto)
  local repeated = {}
  for pc = 0, #proto.code do
    local i = proto.code[pc]
    local to = i.op == "FORLOOP" and pc + 1 - i.bx or i.op == "JMP" and pc + 1 + i.sj or pc + 1
    for k = to, pc do repeated[k] = true end
  end
  return repeated
end

function Frame:place(r)
  local place = self.places[r] or self.b:room(1)
  self.places[r] = place
  return place
end

-- ---- operands ----

-- The place and the kind of a number in register r.
function Frame:number(st, r)
  local kind = kinds.number(st.kind[r])
  if not kind then refuse "it calculates with what is no number" end
  return self:place(r), kind
end

function Frame:constant_kind(value)
  if math.type(value) == "integer" then return self:known(value) end
  if math.type(value) == "float" then return "float" end
  if type(value) == "boolean" then return "boolean" end
  if value == nil then return "nil" end
  return self.b:once("string " .. value, function() return { is = "string", value = value } end)
end

function Frame:known(value)
  if value < -2 ^ 53 or value > 2 ^ 53 then refuse "it has an integer above 2^53" end
  return self.b:once("known " .. value, function() return { is = "known", value = value } end)
end

-- The place and the kind of constant k.
function Frame:constant(k)
  local value = self.proto.constants[k].value
  local kind = self:constant_kind(value)
  if type(value) == "boolean" then value = value and 1 or 0 end
  return type(value) == "number" and self.b:constant(value) or nil, kind
end

-- RK: a register or a constant, as { place, kind }.
function Frame:either(st, i)
  if i.k then
    local place, kind = self:constant(i.c)
    return { place = place, kind = kind }
  end
  return { place = self:place(i.c), kind = st.kind[i.c] }
end

-- Register r becomes what stands at a place (for numbers), or only its kind (for the rest).
function Frame:put(st, out, r, place, kind)
  if kinds.number(kind) or kind == "boolean" or kinds.is(kind, "mode") then out:emit("MOVE", self:place(r), place) end
  st.kind[r] = kind
end

-- ---- arithmetic ----

-- Integers are exact in doubles to 2^53, and never -0: EXACT gives up where Lua's would differ.
local exact = { ADD = true, SUB = true, MUL = true, MOD = true, IDIV = true, UNM = true }

function Frame:calculate(st, out, op, r, pa, ka, pb, kb)
  local to, float = self:place(r), ka == "float" or kb == "float"
  out:emit(op, to, pa, pb)
  if not exact[op] or float then
    st.kind[r] = "float"
    return
  end
  out:emit("EXACT", to)
  st.kind[r] = ka == kb and ka or "number"
end

local step = {}

for _, op in ipairs { "ADD", "SUB", "MUL", "MOD", "POW", "DIV", "IDIV" } do
  step[op] = function(self, st, out, i, pc)
    local pa, ka = self:number(st, i.b)
    local pb, kb = self:number(st, i.c)
    self:calculate(st, out, op, i.a, pa, ka, pb, kb)
    return pc + 2 -- past the metamethod
  end
  step[op .. "K"] = function(self, st, out, i, pc)
    local pa, ka = self:number(st, i.b)
    local pb, kb = self:constant(i.c)
    self:calculate(st, out, op, i.a, pa, ka, pb, kinds.number(kb))
    return pc + 2
  end
end

function step:ADDI(st, out, i, pc)
  local pa, ka = self:number(st, i.b)
  self:calculate(st, out, "ADD", i.a, pa, ka, self.b:constant(i.sc), "integer")
  return pc + 2
end

function step:UNM(st, out, i, pc)
  local place, kind = self:number(st, i.b)
  self:calculate(st, out, "UNM", i.a, place, kind, 0, kind)
  return pc + 1
end

function step:NOT(st, out, i, pc)
  local truth = kinds.truth(st.kind[i.b] or refuse "it negates what is unknown")
  if truth == nil then
    out:emit("NOT", self:place(i.a), self:place(i.b))
  else
    out:emit("MOVE", self:place(i.a), self.b:constant(truth and 0 or 1))
  end
  st.kind[i.a] = "boolean"
  return pc + 1
end

-- ---- loads ----

function step:MOVE(st, out, i, pc)
  self:put(st, out, i.a, self:place(i.b), st.kind[i.b])
  return pc + 1
end

function step:LOADI(st, out, i, pc)
  self:put(st, out, i.a, self.b:constant(i.sbx), self:known(i.sbx))
  return pc + 1
end

function step:LOADF(st, out, i, pc)
  self:put(st, out, i.a, self.b:constant(i.sbx), "float")
  return pc + 1
end

function step:LOADK(st, out, i, pc)
  local place, kind = self:constant(i.bx)
  self:put(st, out, i.a, place, kind)
  return pc + 1
end

function step:LOADNIL(st, _, i, pc)
  for r = i.a, i.a + i.b do st.kind[r] = "nil" end
  return pc + 1
end

function step:LOADTRUE(st, out, i, pc)
  self:put(st, out, i.a, self.b:constant(1), "boolean")
  return pc + 1
end

function step:LOADFALSE(st, out, i, pc)
  self:put(st, out, i.a, self.b:constant(0), "boolean")
  return pc + 1
end

function step:LFALSESKIP(st, out, i, pc)
  step.LOADFALSE(self, st, out, i, pc)
  return pc + 2
end

-- ---- jumps ----

function step:JMP(_, _, i, pc) return pc + 1 + i.sj end

-- Where a comparison at pc leads: { when it holds as wanted: the jump that follows, otherwise past it }.
local function ways(self, pc) return pc + 2 + self.proto.code[pc + 1].sj, pc + 2 end

-- Jumps when `test` of places a and b is as the instruction's k wants.
function Frame:branch(out, i, pc, test, a, b)
  local taken, other = ways(self, pc)
  out:jump((i.k and "J" or "JN") .. test, self:label(taken), a, b)
  return other, taken
end

function Frame:label(pc)
  self.labels = self.labels or {}
  self.labels[pc] = self.labels[pc] or {}
  return self.labels[pc]
end

-- A test whose outcome is known beforehand.
function Frame:known_branch(i, pc, truth)
  local taken, other = ways(self, pc)
  return truth == i.k and taken or other
end

local function compare(test, swapped)
  return function(self, st, out, i, pc)
    local a, b = self:number(st, i.a), self:number(st, i.b)
    if swapped then a, b = b, a end
    return self:branch(out, i, pc, test, a, b)
  end
end

local function compare_known(test, swapped)
  return function(self, st, out, i, pc)
    local a, b = self:number(st, i.a), self.b:constant(i.sb)
    if swapped then a, b = b, a end
    return self:branch(out, i, pc, test, a, b)
  end
end

step.LT, step.LE = compare("LT"), compare("LE")
step.LTI, step.LEI = compare_known("LT"), compare_known("LE")
step.GTI, step.GEI = compare_known("LT", true), compare_known("LE", true)

local function mode_number(e, name)
  for k, value in ipairs(e.values) do if value == name then return k end end
end

-- Equality of two { place, kind }.
function Frame:equal(out, i, pc, a, b)
  if kinds.is(b.kind, "mode") then a, b = b, a end
  if kinds.number(a.kind) and kinds.number(b.kind) or a.kind == "boolean" and b.kind == "boolean" then
    return self:branch(out, i, pc, "EQ", a.place, b.place)
  elseif kinds.is(a.kind, "mode") and kinds.is(b.kind, "string") then
    local number = mode_number(a.kind.e, b.kind.value)
    if not number then return self:known_branch(i, pc, false) end
    return self:branch(out, i, pc, "EQ", a.place, self.b:constant(number))
  elseif a.kind == "nil" and kinds.number(b.kind) or b.kind == "nil" and kinds.number(a.kind) then
    return self:known_branch(i, pc, false)
  elseif a.kind == "nil" and b.kind == "nil" then
    return self:known_branch(i, pc, true)
  end
  refuse "it compares what is no number"
end

function step:EQ(st, out, i, pc)
  return self:equal(out, i, pc, { place = self:place(i.a), kind = st.kind[i.a] },
    { place = self:place(i.b), kind = st.kind[i.b] })
end

function step:EQK(st, out, i, pc)
  local place, kind = self:constant(i.b)
  return self:equal(out, i, pc, { place = self:place(i.a), kind = st.kind[i.a] }, { place = place, kind = kind })
end

function step:EQI(st, out, i, pc)
  return self:equal(out, i, pc, { place = self:place(i.a), kind = st.kind[i.a] },
    { place = self.b:constant(i.sb), kind = "integer" })
end

function step:TEST(st, out, i, pc)
  local kind = st.kind[i.a] or refuse "it tests what is unknown"
  local truth = kinds.truth(kind)
  if truth ~= nil then return self:known_branch(i, pc, truth) end
  return self:branch(out, i, pc, "EQ", self:place(i.a), self.b:constant(1))
end

-- As TEST, and the register takes the value where the jump is made.
function step:TESTSET(st, out, i, pc)
  local kind = st.kind[i.b] or refuse "it tests what is unknown"
  local truth = kinds.truth(kind)
  local taken, other = ways(self, pc)
  if truth ~= nil and truth ~= i.k then return other end
  local st_taken = kinds.copy(st)
  if truth ~= nil then
    self:put(st_taken, out, i.a, self:place(i.b), kind)
    return taken, nil, st_taken
  end
  st_taken.kind[i.a] = kind
  out:emit("SELECT", self:place(i.a), self:place(i.b), self.b:constant(i.k and 1 or 0), self:place(i.a))
  self:branch(out, i, pc, "EQ", self:place(i.b), self.b:constant(1))
  return other, taken, nil, st_taken
end

-- ---- loops ----

-- The kind of a loop's variable, and whether it counts up. With an integer start and step a limit that is a float is
-- one that is rounded down, which decides the same.
local function start_of(st, a)
  local first, by = kinds.number(st.kind[a]), st.kind[a + 2]
  if not first or not kinds.number(st.kind[a + 1]) or not kinds.is(by, "known") or by.value == 0 then
    refuse "it has a loop whose step is not known"
  end
  return first, by.value > 0
end

function step:FORPREP(st, out, i, pc)
  local kind, up = start_of(st, i.a)
  local first, last = self:place(i.a), self:place(i.a + 1)
  if not up then first, last = last, first end
  local skip = pc + 2 + i.bx
  st.kind[i.a] = kind
  out:jump("JNLE", self:label(skip), first, last)
  local st_skip = kinds.copy(st)
  self:put(st, out, i.a + 3, self:place(i.a), kind)
  return pc + 1, skip, nil, st_skip
end

function step:FORLOOP(st, out, i, pc)
  local kind, up = start_of(st, i.a)
  local at, last = self:place(i.a), self:place(i.a + 1)
  out:emit("ADD", at, at, self:place(i.a + 2))
  self:put(st, out, i.a + 3, at, kind)
  local back = pc + 1 - i.bx
  out:jump("JLE", self:label(back), up and at or last, up and last or at)
  return pc + 1, back
end

-- ---- calls ----

local library = require("saltus.program.library")

function Frame:arguments(st, i)
  local last = i.b == 0 and (st.top or refuse "it passes on what it does not know the number of") or i.a + i.b
  local list = {}
  for r = i.a + 1, last - 1 do list[#list + 1] = { place = self:place(r), kind = st.kind[r] } end
  return list
end

-- Answers how many results the call left from register a on.
function Frame:call(st, out, i, pc)
  local fn = st.kind[i.a]
  local args = self:arguments(st, i)
  if kinds.is(fn, "function") then
    st.kind[i.a] = library.call(self.b, out, fn.name, self:place(i.a), args)
    return 1
  end
  if not kinds.is(fn, "closure") then refuse "it calls what cannot be followed" end
  return self:call_inside(st, out, i, pc, fn.node, args)
end

function Frame:call_inside(st, out, i, pc, node, args)
  local key = node
  self.inner[pc] = self.inner[pc] or {}
  local inner = self.inner[pc][key]
  if not inner then
    inner = Frame.new(self.b, node.value, node, self.depth + 1, self.looping or self.loops[pc])
    self.inner[pc][key] = inner
  end
  local from = { kind = {}, set = st.set }
  for n = 1, inner.proto.params do
    local arg = args[n]
    if arg then inner:put(from, out, n - 1, arg.place, arg.kind or refuse "it passes on what is unknown")
    else from.kind[n - 1] = "nil" end
  end
  local after, answers = inner:follow(from, out)
  if not after then refuse "a function that it calls never answers" end
  st.set = after.set
  for n = 1, answers do self:put(st, out, i.a + n - 1, inner:answer(n), after.kind[n]) end
  return answers
end

-- Leaves exactly `wanted` results of `had` from register a on; -1: all.
local function adjust(st, a, had, wanted)
  st.top = wanted < 0 and a + had or nil
  for n = had + 1, wanted do st.kind[a + n - 1] = "nil" end
end

function step:CALL(st, out, i, pc)
  adjust(st, i.a, self:call(st, out, i, pc), i.c - 1)
  return pc + 1
end

function step:TAILCALL(st, out, i, pc)
  if i.k then refuse "it has variables that closures share" end
  adjust(st, i.a, self:call(st, out, i, pc), -1)
  return pc + 1
end

-- ---- returns ----

-- Where the n-th answer stands for whoever called. What a closure answers itself, `turn` makes what is wanted.
function Frame:answer(n)
  self.answers = self.answers or {}
  self.answers[n] = self.answers[n] or self.b:room(1)
  return self.answers[n]
end

function Frame:finish(st, out, first, count)
  local here = { kind = {}, set = st.set }
  for n = 1, count do
    local place, kind = self:place(first + n - 1), st.kind[first + n - 1] or refuse "it answers what is unknown"
    if self.turn then place, kind = self.turn(place, kind) end
    if kinds.number(kind) or kind == "boolean" or kinds.is(kind, "mode") then
      out:emit("MOVE", self:answer(n), place)
    end
    here.kind[n] = kind
  end
  if self.returned and self.count ~= count then refuse "it answers now more, now fewer values" end
  if self.returned then kinds.merge(self.returned, here) else self.returned = kinds.copy(here) end
  self.count = count
  out:jump("JMP", self)
end

function step:RETURN(st, out, i)
  if i.k then refuse "it has variables that closures share" end
  self:finish(st, out, i.a, i.b == 0 and (st.top or refuse "it answers what it does not know the number of") - i.a or i.b - 1)
end

function step:RETURN0(st, out, i) self:finish(st, out, i.a, 0) end

function step:RETURN1(st, out, i) self:finish(st, out, i.a, 1) end

require("saltus.program.fields")(step, Frame)

-- ---- following ----

local nowhere = { emit = function() end, jump = function() end, label = function() end }

function Frame:one(st, out, pc)
  local i = self.proto.code[pc]
  local make = step[i.op] or refuse(("it does what is no arithmetic (%s)"):format(i.op))
  return make(self, st, out, i, pc)
end

-- What is known before each instruction that can be reached.
function Frame:learn(first)
  local before, work = { [0] = kinds.copy(first) }, { 0 }
  local function reach(pc, st)
    if not pc then return end
    if not before[pc] then
      before[pc] = kinds.copy(st)
      work[#work + 1] = pc
    elseif kinds.merge(before[pc], st) then
      work[#work + 1] = pc
    end
  end
  while #work > 0 do
    local pc = table.remove(work)
    local st = kinds.copy(before[pc])
    local one, other, st_one, st_other = self:one(st, nowhere, pc)
    reach(one, st_one or st)
    reach(other, st_other or st)
  end
  return before
end

-- Follows the function from what is known of its arguments, and writes its code to `out`. Answers what is known
-- at its end, and how many values it answers; nil when it never ends.
function Frame:follow(first, out)
  self.returned, self.labels = nil, nil
  local before = self:learn(first)
  self.returned = nil
  local reached = {}
  for pc = 0, #self.proto.code do if before[pc] then reached[#reached + 1] = pc end end
  for n, pc in ipairs(reached) do
    out:label(self:label(pc))
    local one = self:one(kinds.copy(before[pc]), out, pc)
    if one and one ~= reached[n + 1] then out:jump("JMP", self:label(one)) end
  end
  out:label(self)
  return self.returned, self.count
end

return Frame
