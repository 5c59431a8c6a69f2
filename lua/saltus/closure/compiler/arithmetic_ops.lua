-- The instructions that calculate, compare and jump. Each returns where it leads: a place among the instructions, a
-- second one for a jump that may be taken, and what is known there when that differs.
local Emitter = require "saltus.closure.compiler.emitter"
local types = require "saltus.closure.compiler.types"

local reject = Emitter.reject

-- From 5.4.2 on Lua squares by multiplying, as programs do; before, by pow, which may round otherwise.
local function squares()
  for k = 1, 10000 do
    local x = 0.1 + k / 7919
    if x ^ 2 ~= x * x then return false end
  end
  return true
end

local can_raise = squares()

return function(step, Frame)
  -- Integers are exact in doubles to 2^53, and never -0: EXACT gives up where Lua's would differ.
  local exact = { ADD = true, SUB = true, MUL = true, MOD = true, IDIV = true, UNM = true }
  local makes_zeros = { MUL = true, MOD = true, IDIV = true, UNM = true } -- of either sign, of which integers have one

  function Frame:calculate(st, out, op, r, pa, ka, pb, kb)
    local to, float = self:place(r), ka == "float" or kb == "float" or op == "POW"
    if op == "POW" and not can_raise then reject "this Lua raises to powers otherwise" end
    if op == "POW" and pb == self.b:constant(2) then op, pb = "MUL", pa end
    out:emit(op, to, pa, pb)
    if not exact[op] or float then
      st.kind[r] = "float"
      return
    end
    if makes_zeros[op] and ka == "integer" and kb == "integer" then out:emit("ADD", to, to, self.b:constant(0)) end
    out:emit("EXACT", to)
    st.kind[r] = ka == kb and ka or "number"
  end

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
      self:calculate(st, out, op, i.a, pa, ka, pb, types.number(kb))
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
    local truth = self.b:truth(st.kind[i.b] or reject "it negates a value of unknown type")
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

  -- A mode is told from strings by the numbers of either.
  function Frame:equal_mode(out, i, pc, mode, text)
    if #text.kind.list > 1 then reject "it compares a mode with one of several strings" end
    for k, value in ipairs(mode.kind.e.values) do
      if value == text.kind.list[1] then return self:branch(out, i, pc, "EQ", mode.place, self.b:constant(k)) end
    end
    return self:known_branch(i, pc, false)
  end

  -- Equality of two { place, kind }.
  function Frame:equal(out, i, pc, a, b)
    if types.is(b.kind, "mode") then a, b = b, a end
    local both_texts = types.is(a.kind, "texts") and types.is(b.kind, "texts")
    if types.number(a.kind) and types.number(b.kind) or a.kind == "boolean" and b.kind == "boolean" or both_texts then
      return self:branch(out, i, pc, "EQ", a.place, b.place)
    elseif types.is(a.kind, "mode") and types.is(b.kind, "texts") then
      return self:equal_mode(out, i, pc, a, b)
    elseif a.kind == "nil" and types.number(b.kind) or b.kind == "nil" and types.number(a.kind) then
      return self:known_branch(i, pc, false)
    elseif a.kind == "nil" and b.kind == "nil" then
      return self:known_branch(i, pc, true)
    end
    reject "it compares values that are no numbers"
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
    local kind = st.kind[i.a] or reject "it tests a value of unknown type"
    local truth = self.b:truth(kind)
    if truth ~= nil then return self:known_branch(i, pc, truth) end
    return self:branch(out, i, pc, "EQ", self:place(i.a), self.b:constant(1))
  end

  -- As TEST, and the register takes the value where the jump is made.
  function step:TESTSET(st, out, i, pc)
    local kind = st.kind[i.b] or reject "it tests a value of unknown type"
    local truth = self.b:truth(kind)
    local taken, other = ways(self, pc)
    if truth ~= nil and truth ~= i.k then return other end
    local st_taken = types.copy(st)
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
    local first, by = types.number(st.kind[a]), st.kind[a + 2]
    if not first or not types.number(st.kind[a + 1]) or not types.is(by, "known") or by.value == 0 then
      reject "it has a loop whose step is not known"
    end
    return first, by.value > 0
  end

  function step:FORPREP(st, out, i, pc)
    local kind, up = start_of(st, i.a)
    local first, last = self:place(i.a), self:place(i.a + 1)
    if not up then first, last = last, first end
    local skip = pc + 2 + i.bx
    if kind == "float" then -- NaN is no reason to skip it
      out:jump("JLT", self:label(skip), last, first)
    else
      if kind ~= "integer" or not up and types.number(st.kind[i.a + 1]) ~= "integer" then -- but may be one
        out:emit("EXACT", first)
        out:emit("EXACT", last)
      end
      out:jump("JNLE", self:label(skip), first, last)
    end
    st.kind[i.a] = kind
    local st_skip = types.copy(st)
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
end
