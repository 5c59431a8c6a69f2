-- One function's instructions over what their registers are known to hold (see types.lua): first until nothing
-- new is learnt, then once more to write the code. A function that another calls is written in its place.
local Emitter = require "saltus.closure.compiler.emitter"
local bytecode = require "saltus.closure.compiler.bytecode"
local types = require "saltus.closure.compiler.types"

local Frame = {}
Frame.__index = Frame

local MAX_DEPTH = 6
local reject = Emitter.reject

-- `node`: what was fetched to reach `fn`; nil for the closure itself.
function Frame.new(builder, fn, node, depth, looping)
  local proto = bytecode.of(fn)
  if not proto or proto.vararg or depth > MAX_DEPTH then reject "it calls a function that cannot be compiled" end
  return setmetatable({ b = builder, node = node, proto = proto, depth = depth, places = {}, inner = {},
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
  local kind = types.number(st.kind[r])
  if not kind then reject "it computes with a value that is no number" end
  return self:place(r), kind
end

function Frame:constant_kind(value)
  if math.type(value) == "integer" then return self:known(value) end
  if math.type(value) == "float" then return "float" end
  if type(value) == "boolean" then return "boolean" end
  if value == nil then return "nil" end
  return types.texts { value }
end

function Frame:known(value)
  if value < -2 ^ 53 or value > 2 ^ 53 then reject "it has an integer above 2^53" end
  return self.b:once("known " .. value, function() return { is = "known", value = value } end)
end

-- The place and the kind of constant k.
function Frame:constant(k)
  local value = self.proto.constants[k].value
  local kind = self:constant_kind(value)
  if type(value) == "boolean" then value = value and 1 or 0 end
  if type(value) == "string" then return self.b:text(value), kind end
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
  if types.has_place(kind) then out:emit("MOVE", self:place(r), place) end
  st.kind[r] = kind
end

function Frame:label(pc)
  self.labels = self.labels or {}
  self.labels[pc] = self.labels[pc] or {}
  return self.labels[pc]
end

local step = {}

for _, ops in ipairs { "arithmetic_ops", "table_ops", "call_ops" } do
  require("saltus.closure.compiler." .. ops)(step, Frame)
end

-- ---- following ----

local returns = { RETURN = true, RETURN0 = true, RETURN1 = true }
local nowhere = { emit = function() end, jump = function() end, label = function() end }

function Frame:one(st, out, pc)
  local i = self.proto.code[pc]
  self.b:count_step()
  local make = step[i.op] or reject(("it uses an instruction that is no arithmetic (%s)"):format(i.op))
  local next_one, other, st_one, st_other = make(self, st, out, i, pc)
  if next_one and not other and returns[self.proto.code[next_one].op] then -- each way may answer another kind
    return self:one(st_one or st, out, next_one)
  end
  return next_one, other, st_one, st_other
end

-- What is known before each instruction that can be reached.
function Frame:learn(first)
  local before, work = { [0] = types.copy(first) }, { 0 }
  local function reach(pc, st)
    if not pc then return end
    if not before[pc] then
      before[pc] = types.copy(st)
      work[#work + 1] = pc
    elseif types.merge(before[pc], st) then
      work[#work + 1] = pc
    end
  end
  while #work > 0 do
    local pc = table.remove(work)
    local st = types.copy(before[pc])
    local one, other, st_one, st_other = self:one(st, nowhere, pc)
    reach(one, st_one or st)
    reach(other, st_other or st)
  end
  return before
end

-- Follows the function from what is known of its arguments, and writes its code to `out`. Returns what is known
-- at its end, and how many values it returns; nil when it never ends.
function Frame:follow(first, out)
  self.returned, self.labels = nil, nil
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
