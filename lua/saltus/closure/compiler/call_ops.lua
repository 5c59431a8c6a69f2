-- The instructions that call and return. A function of `math` becomes an operation; a call of a Lua function is
-- replaced by its code. interpreter.lua describes arguments and results.
local Emitter = require "saltus.closure.compiler.emitter"
local delay_ops = require "saltus.closure.compiler.delay_ops"
local types = require "saltus.closure.compiler.types"
local math_ops = require "saltus.closure.compiler.math_ops"

local reject = Emitter.reject
local straight, leading = {}, {}

-- ---- calls ----

local function arguments(frame, st, i)
  local last = i.b == 0 and (st.top or reject "it passes on an unknown number of values") or i.a + i.b
  local list = {}
  for r = i.a + 1, last - 1 do list[#list + 1] = frame:register(st, r) end
  return list
end

-- The frame of the function at a node, which the instruction at pc calls.
local function callee(frame, pc, node)
  local inner = frame.inner[pc] or {}
  frame.inner[pc] = inner
  inner[node] = inner[node]
    or frame.new(frame.b, node.value, node, frame.depth + 1, frame.looping or frame.loops[pc])
  return inner[node]
end

-- Calls, by the kind of function: call(frame, st, out, i, pc, fn, arguments) puts the results into registers from a on,
-- and returns their number.
local call = {}

call["function"] = function(frame, st, out, i, _, fn, args)
  st.kind[i.a] = math_ops.call(frame.b, out, fn.name, frame:place(i.a), args)
  return 1
end

function call.reader(frame, st, out, i, _, fn, args)
  st.kind[i.a] = delay_ops.call(out, fn, frame:place(i.a), args)
  return 1
end

function call.closure(frame, st, out, i, pc, fn, args)
  local inner = callee(frame, pc, fn.node)
  local from = { kind = {}, set = st.set }
  for n = 1, inner.proto.params do
    local arg = args[n] or frame:value(nil)
    if not arg.kind then reject "it passes on a value of unknown type" end
    inner:put(from, out, n - 1, arg)
  end
  local after, count = inner:follow(from, out)
  if not after then reject "a function that it calls never returns" end
  st.set = after.set
  for n = 1, count do frame:put(st, out, i.a + n - 1, { place = inner:returned_place(n), kind = after.kind[n] }) end
  return count
end

-- Leaves `wanted` results from register a on; -1: all results.
local function call_for(frame, st, out, i, pc, wanted)
  local fn = st.kind[i.a]
  local args = arguments(frame, st, i)
  local act = type(fn) == "table" and call[fn.is] or reject "it calls a function that cannot be compiled"
  local had = act(frame, st, out, i, pc, fn, args)
  st.top = wanted < 0 and i.a + had or nil
  for n = had + 1, wanted do st.kind[i.a + n - 1] = "nil" end
end

function straight.CALL(frame, st, out, i, pc) call_for(frame, st, out, i, pc, i.c - 1) end

function straight.TAILCALL(frame, st, out, i, pc)
  if i.k then reject "it has variables that closures share" end
  call_for(frame, st, out, i, pc, -1)
end

-- ---- returns ----

-- The results of the closure itself are converted to the type that the engine needs.
local function finish(frame, st, out, first, count)
  local here = { kind = {}, set = st.set }
  for n = 1, count do
    local value = frame:register(st, first + n - 1)
    if not value.kind then reject "it returns a value of unknown type" end
    if frame.convert then value = frame.convert(frame.b, value) end
    if types.has_place(value.kind) then out:emit("MOVE", frame:returned_place(n), value.place) end
    here.kind[n] = value.kind
  end
  if frame.returned and frame.count ~= count then reject "it returns a varying number of values" end
  if frame.returned then types.merge(frame.returned, here) else frame.returned = types.copy(here) end
  frame.count = count
  out:jump("JMP", frame)
end

function leading.RETURN(frame, st, out, i)
  if i.k then reject "it has variables that closures share" end
  local past = i.b == 0 and (st.top or reject "it returns an unknown number of values") or i.a + i.b - 1
  finish(frame, st, out, i.a, past - i.a)
end

function leading.RETURN0(frame, st, out, i) finish(frame, st, out, i.a, 0) end

function leading.RETURN1(frame, st, out, i) finish(frame, st, out, i.a, 1) end

return { straight = straight, leading = leading }
