-- Follows one function's instructions with the kinds that its registers are known to have (see types.lua): first until
-- no kind changes, then once more to write the code. The code of a called function is written in the place of the call.
local Emitter = require "saltus.closure.compiler.emitter"
local bytecode = require "saltus.closure.compiler.bytecode"
local data_flow = require "saltus.closure.compiler.data_flow"
local types = require "saltus.closure.compiler.types"

local Frame = {}
Frame.__index = Frame

local MAX_DEPTH = 6
local reject = Emitter.reject

-- The instructions that a jump backwards may repeat.
local function loops_of(proto)
  local repeated = {}
  for pc = 0, #proto.code do
    local i = proto.code[pc]
    local to = i.op == "FORLOOP" and pc + 1 - i.bx or i.op == "JMP" and pc + 1 + i.sj or pc + 1
    for k = to, pc do repeated[k] = true end
  end
  return repeated
end

-- `node`: where `fn` was found; nil for the closure itself. `looping`: the call may be repeated.
function Frame.new(builder, fn, node, depth, looping)
  local proto = bytecode.of(fn)
  if not proto or proto.vararg or depth > MAX_DEPTH then reject "it calls a function that cannot be compiled" end
  return setmetatable({ b = builder, node = node, proto = proto, depth = depth, places = {}, inner = {},
    returned_places = {}, looping = looping, loops = loops_of(proto) }, Frame)
end

function Frame:place(r)
  local place = self.places[r] or self.b:room(1)
  self.places[r] = place
  return place
end

-- The operand for the n-th value that the function returns, in the caller.
function Frame:returned_place(n)
  self.returned_places[n] = self.returned_places[n] or self.b:room(1)
  return self.returned_places[n]
end

-- ---- operands ----

-- An operand is { place =, kind = }. Only numbers need a place.
function Frame:register(st, r) return { place = self:place(r), kind = st.kind[r] } end

-- A register that must have a number.
function Frame:number(st, r)
  local kind = types.number(st.kind[r]) or reject "it computes with a value that is not a number"
  return { place = self:place(r), kind = kind }
end

-- A constant of Lua.
function Frame:value(value)
  local kind = type(value)
  if kind == "string" then return { place = self.b:text(value), kind = types.texts { value } } end
  if kind == "boolean" then return { place = self.b:constant(value and 1 or 0), kind = kind } end
  if math.type(value) == "float" then return { place = self.b:constant(value), kind = "float" } end
  if value == nil then return { kind = kind } end
  if value < -2 ^ 53 or value > 2 ^ 53 then reject "it has an integer above 2^53" end
  return { place = self.b:constant(value),
    kind = self.b:once("known " .. value, function() return { is = "known", value = value } end) }
end

function Frame:constant(k) return self:value(self.proto.constants[k].value) end

-- RK: a register or a constant.
function Frame:either(st, i) return i.k and self:constant(i.c) or self:register(st, i.c) end

-- Puts an operand into register r: its kind, and its number if it has one.
function Frame:put(st, out, r, operand)
  if types.has_place(operand.kind) then out:emit("MOVE", self:place(r), operand.place) end
  st.kind[r] = operand.kind
end

function Frame:label(pc)
  self.labels[pc] = self.labels[pc] or {}
  return self.labels[pc]
end

-- What is done for an instruction i at pc, by its name: act(frame, st, out, i, pc) changes what is known, st, and adds
-- code to `out`. A straight one leads to the next instruction. A leading one returns where it leads: a place among
-- the instructions (nil: the function ends), a second one for a jump that may be taken, and what is known at the first
-- and at the second place, if that is not st.
local straight, leading = {}, {}

for _, name in ipairs { "arithmetic_ops", "table_ops", "call_ops" } do
  local ops = require("saltus.closure.compiler." .. name)
  for op, act in pairs(ops.straight) do straight[op] = act end
  for op, act in pairs(ops.leading) do leading[op] = act end
end

-- Instructions that belong to the previous one.
local is_appendix = { MMBIN = true, MMBINI = true, MMBINK = true, EXTRAARG = true }

-- ---- following ----

local returns = { RETURN = true, RETURN0 = true, RETURN1 = true }
local nowhere = { emit = function() end, jump = function() end, label = function() end }

function Frame:step(st, out, pc)
  local code = self.proto.code
  local i = code[pc]
  self.b:count_step()
  if straight[i.op] then
    straight[i.op](self, st, out, i, pc)
    return is_appendix[code[pc + 1].op] and pc + 2 or pc + 1
  end
  local lead = leading[i.op] or reject(("it uses an instruction that is not arithmetic (%s)"):format(i.op))
  return lead(self, st, out, i, pc)
end

-- Where the instruction at pc leads, as a leading one. A return that follows belongs to it: paths that meet there may
-- return values of different kinds.
function Frame:one(st, out, pc)
  local next_one, other, st_one, st_other = self:step(st, out, pc)
  if next_one and not other and returns[self.proto.code[next_one].op] then
    return self:one(st_one or st, out, next_one)
  end
  return next_one, other, st_one, st_other
end

-- The states before each instruction that can be reached.
function Frame:learn(first)
  return data_flow.of(0, first, types.copy, types.merge, function(st, pc, reach)
    local one, other, st_one, st_other = self:one(st, nowhere, pc)
    if one then reach(one, st_one or st) end
    if other then reach(other, st_other or st) end
  end)
end

-- Follows the function from its first state, which has the kinds of the arguments, and writes its code to `out`.
-- Returns the state at its end, and how many values it returns; nil if it never ends.
function Frame:follow(first, out)
  self.returned, self.labels = nil, {}
  local before = self:learn(first)
  self.returned = nil
  local reached = {}
  for pc = 0, #self.proto.code do if before[pc] then reached[#reached + 1] = pc end end
  for n, pc in ipairs(reached) do
    out:label(self:label(pc))
    local one = self:one(types.copy(before[pc]), out, pc)
    if one and one ~= reached[n + 1] then out:jump("JMP", self:label(one)) end
  end
  out:label(self)
  return self.returned, self.count
end

return Frame
