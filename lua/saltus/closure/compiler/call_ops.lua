-- The instructions that call and return. A function of `math` is an operation; one of Lua is followed in its place.
local Emitter = require "saltus.closure.compiler.emitter"
local delay_ops = require "saltus.closure.compiler.delay_ops"
local types = require "saltus.closure.compiler.types"
local math_ops = require "saltus.closure.compiler.math_ops"

local reject = Emitter.reject

return function(step, Frame)
  function Frame:arguments(st, i)
    local last = i.b == 0 and (st.top or reject "it passes on an unknown number of values") or i.a + i.b
    local list = {}
    for r = i.a + 1, last - 1 do list[#list + 1] = { place = self:place(r), kind = st.kind[r] } end
    return list
  end

  -- Returns how many results the call left from register a on.
  function Frame:call(st, out, i, pc)
    local fn = st.kind[i.a]
    local args = self:arguments(st, i)
    if types.is(fn, "function") then
      st.kind[i.a] = math_ops.call(self.b, out, fn.name, self:place(i.a), args)
      return 1
    end
    if types.is(fn, "reader") then
      st.kind[i.a] = delay_ops.call(out, fn, self:place(i.a), args)
      return 1
    end
    if not types.is(fn, "closure") then reject "it calls a function that cannot be compiled" end
    return self:call_inside(st, out, i, pc, fn.node, args)
  end

  function Frame:call_inside(st, out, i, pc, node, args)
    self.inner[pc] = self.inner[pc] or {}
    local inner = self.inner[pc][node]
    if not inner then
      inner = Frame.new(self.b, node.value, node, self.depth + 1, self.looping or self.loops[pc])
      self.inner[pc][node] = inner
    end
    local from = { kind = {}, set = st.set }
    for n = 1, inner.proto.params do
      local arg = args[n]
      if arg then inner:put(from, out, n - 1, arg.place, arg.kind or reject "it passes on a value of unknown type")
      else from.kind[n - 1] = "nil" end
    end
    local after, answers = inner:follow(from, out)
    if not after then reject "a function that it calls never returns" end
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
    if i.k then reject "it has variables that closures share" end
    adjust(st, i.a, self:call(st, out, i, pc), -1)
    return pc + 1
  end

  -- ---- returns ----

  -- Where the n-th answer stands for whoever called. What a closure returns itself, `convert` makes what is wanted.
  function Frame:answer(n)
    self.answers = self.answers or {}
    self.answers[n] = self.answers[n] or self.b:room(1)
    return self.answers[n]
  end

  function Frame:finish(st, out, first, count)
    local here = { kind = {}, set = st.set }
    for n = 1, count do
      local place, kind = self:place(first + n - 1), st.kind[first + n - 1]
      if not kind then reject "it returns a value of unknown type" end
      if self.convert then place, kind = self.convert(place, kind) end
      if types.has_place(kind) then out:emit("MOVE", self:answer(n), place) end
      here.kind[n] = kind
    end
    if self.returned and self.count ~= count then reject "it returns a varying number of values" end
    if self.returned then types.merge(self.returned, here) else self.returned = types.copy(here) end
    self.count = count
    out:jump("JMP", self)
  end

  function step:RETURN(st, out, i)
    if i.k then reject "it has variables that closures share" end
    local past = i.b == 0 and (st.top or reject "it returns an unknown number of values") or i.a + i.b - 1
    self:finish(st, out, i.a, past - i.a)
  end

  function step:RETURN0(st, out, i) self:finish(st, out, i.a, 0) end

  function step:RETURN1(st, out, i) self:finish(st, out, i.a, 1) end
end
