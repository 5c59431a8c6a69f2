-- The instructions that read and write tables: ctx and what is written, vectors, upvalues and what stands in them,
-- short lists.
local Emitter = require "saltus.closure.compiler.emitter"
local delay_ops = require "saltus.closure.compiler.delay_ops"
local types = require "saltus.closure.compiler.types"
local math_ops = require "saltus.closure.compiler.math_ops"

local reject = Emitter.reject
local TIME = { name = "time", partition = "time", size = 1 }

-- ---- upvalues and tables of Lua ----

-- The kind of what stands behind a node, and its place when it is a number.
local function fetched(b, node)
  local value = node.value
  if math.type(value) then
    b:want(node, "number")
    return "number", node.place
  elseif type(value) == "boolean" then
    b:want(node, "boolean")
    return "boolean", node.place
  elseif value == nil then
    b:want(node, "nil")
    return "nil"
  elseif rawequal(value, math) then
    return b:once(node, function() return { is = "math", node = node } end)
  elseif type(value) == "table" then
    return b:once(node, function() return { is = "table", node = node } end)
  elseif math_ops.name_of[value] then
    b:want(node, "same")
    return b:once(node, function() return { is = "function", name = math_ops.name_of[value] } end)
  elseif type(value) == "function" then
    b:want(node, "same")
    return b:once(node, function() return { is = "closure", node = node } end)
  end
  reject(("it reads a %s of Lua"):format(type(value)))
end

-- What stands in `math` is taken for what it is now; a run that finds something else there leaves it to the closure.
local function of_math(b, node, name)
  local field = b:fetch(node, name)
  local value = field.value
  if math.type(value) == "float" then
    b:want(field, "equal")
    return "float", field.place
  end
  if not math_ops.name_of[value] then reject(("it reads math.%s"):format(tostring(name))) end
  b:want(field, "same")
  return b:once("math." .. name, function() return { is = "function", name = math_ops.name_of[value] } end)
end

local function upvalue(self, number) return self.b:fetch(self.node, number + 1) end

-- ---- entries ----

local function entry_kind(b, e, place, of)
  if e.vector then
    return b:once(of .. " " .. e.name, function() return { is = "vector", place = place, size = e.size, of = of } end)
  elseif e.values then
    return b:once("mode " .. e.name, function() return { is = "mode", e = e } end), place
  end
  return "float", place
end

local function from_ctx(b, name)
  local c = b.c
  if (name == "past" or name == "past_rate") and c.system.pasts and c.system.pasts[1] then
    return delay_ops.view(b, name)
  end
  local e = name == "time" and TIME or c.system.by_name[name]
  if not e or e.abstract then reject(("it reads ctx.%s"):format(tostring(name))) end
  if (e.partition == "input" or e.partition == "output") and not c.seen[e] then
    reject(("it never read ctx.%s so far"):format(name))
  end
  return entry_kind(b, e, b:read(e), "ctx")
end

local function result_of(b, name)
  return b.result_of[name] or reject(("it never wrote %s so far"):format(tostring(name)))
end

-- Unless it is offered, what is read must have been written for sure.
local function check_set(b, st, place)
  if not b.starts_as_next and not st.set[place] then reject "it reads a result before it writes it" end
end

-- A vector that is assigned whole is from then on another table's: it is not looked at by elements too.
local function treat(result, as)
  if result.treated and result.treated ~= as then reject "it assigns a vector whole and looks at it too" end
  result.treated = as
end

local function from_target(b, st, name)
  local result = result_of(b, name)
  if result.e.vector then treat(result, "by elements") else check_set(b, st, result.place) end
  return entry_kind(b, result.e, result.place, "target")
end

local function from_event(b, name)
  if name ~= "count" then reject "it reads more of the event than its count" end
  return "integer", b:read_count()
end

-- Field or element `key` of what a register holds.
local function get(self, st, of, key)
  local b = self.b
  if types.is(of, "ctx") then return from_ctx(b, key) end
  if types.is(of, "target") then return from_target(b, st, key) end
  if types.is(of, "event") then return from_event(b, key) end
  if types.is(of, "past") then return delay_ops.reader(b, of, key, false) end
  if types.is(of, "math") then return of_math(b, of.node, key) end
  if types.is(of, "table") then return fetched(b, b:fetch(of.node, key)) end
  if types.is(of, "vector") and math.type(key) == "integer" and key >= 1 and key <= of.size then
    if of.of == "target" then check_set(b, st, of.place + key - 1) end
    return "float", of.place + key - 1
  end
  if types.is(of, "list") and math.type(key) == "integer" and key >= 1 and key <= of.size then
    return of.kind[key], of.place + key - 1
  end
  reject "it reads a table that is not known"
end

-- ---- writing ----

local function assign_vector(st, out, result, value)
  local of = value.kind
  if not (types.is(of, "vector") or types.is(of, "list")) or of.size ~= result.e.size or of.of == "target" then
    reject "it assigns no vector of that size"
  end
  treat(result, "whole")
  for k = 0, of.size - 1 do
    out:emit("MOVE", result.place + k, of.place + k)
    st.set[result.place + k] = true
  end
end

local function mode_number(e, name)
  for k, value in ipairs(e.values) do if value == name then return k end end
  reject "it assigns a value that the mode does not have"
end

local function assign_mode(b, out, result, value)
  local e, texts = result.e, types.is(value.kind, "texts") and value.kind.list or {}
  if types.is(value.kind, "mode") and value.kind.e == e then
    out:emit("MOVE", result.place, value.place)
    return
  end
  if not texts[1] then reject "it assigns a value that the mode does not have" end
  out:emit("MOVE", result.place, b:constant(mode_number(e, texts[1])))
  for k = 2, #texts do
    local otherwise = {}
    out:jump("JNEQ", otherwise, value.place, b:text(texts[k]))
    out:emit("MOVE", result.place, b:constant(mode_number(e, texts[k])))
    out:label(otherwise)
  end
end

local function assign(self, st, out, name, value)
  local b, result = self.b, result_of(self.b, name)
  if result.e.vector then return assign_vector(st, out, result, value) end
  if result.e.values then
    assign_mode(b, out, result, value)
  else
    if not types.number(value.kind) then reject "it assigns a value that is no number" end
    out:emit("MOVE", result.place, value.place)
  end
  st.set[result.place] = true
end

-- A list keeps what it was made of: names that share it need not be told apart.
local function assign_element(st, out, of, key, value)
  if not types.number(value.kind) then reject "it assigns a value that is no number" end
  if not (types.is(of, "vector") and of.of == "target" and key >= 1 and key <= of.size) then
    reject "it writes to a table that is not known"
  end
  local place = of.place + key - 1
  out:emit("MOVE", place, value.place)
  st.set[place] = true
end

return function(step, Frame)
  function step:GETUPVAL(st, out, i, pc)
    local kind, place = fetched(self.b, upvalue(self, i.b))
    self:put(st, out, i.a, place, kind)
    return pc + 1
  end

  function step:GETTABUP(st, out, i, pc)
    local node = upvalue(self, i.b)
    local of = fetched(self.b, node)
    local kind, place = get(self, st, of, self.proto.constants[i.c].value)
    self:put(st, out, i.a, place, kind)
    return pc + 1
  end

  function step:GETFIELD(st, out, i, pc)
    local kind, place = get(self, st, st.kind[i.b], self.proto.constants[i.c].value)
    self:put(st, out, i.a, place, kind)
    return pc + 1
  end

  -- A method: only what is kept of the past has one.
  function step:SELF(st, _, i, pc)
    local of, name = st.kind[i.b], i.k and self.proto.constants[i.c].value
    if not types.is(of, "reader") or of.absolute or name ~= "at" then reject "it calls a method that is not known" end
    st.kind[i.a + 1] = of
    st.kind[i.a] = delay_ops.reader(self.b, of, of.name, true)
    return pc + 1
  end

  function step:GETI(st, out, i, pc)
    local kind, place = get(self, st, st.kind[i.b], i.c)
    self:put(st, out, i.a, place, kind)
    return pc + 1
  end

  function step:GETTABLE(st, out, i, pc)
    local of, key = st.kind[i.b], st.kind[i.c]
    if types.is(key, "known") or types.is(key, "texts") and not key.list[2] then
      local kind, place = get(self, st, of, key.value or key.list[1])
      self:put(st, out, i.a, place, kind)
    elseif (types.is(of, "vector") or types.is(of, "list") and of.alike) and types.number(key) then
      if of.of == "target" and not self.b.starts_as_next then reject "it may read a result before it writes it" end
      out:emit("LOAD", self:place(i.a), of.place, self:place(i.c), of.size)
      st.kind[i.a] = "float"
    else
      reject "it looks up an unknown key in a table"
    end
    return pc + 1
  end

  function step:LEN(st, out, i, pc)
    local of = st.kind[i.b]
    if not (types.is(of, "vector") or types.is(of, "list")) then reject "it takes a length that is not known" end
    self:put(st, out, i.a, self.b:constant(of.size), self:known(of.size))
    return pc + 1
  end

  function step:SETFIELD(st, out, i, pc)
    if not types.is(st.kind[i.a], "target") then reject "it writes to a table that is not known" end
    assign(self, st, out, self.proto.constants[i.b].value, self:either(st, i))
    return pc + 1
  end

  function step:SETI(st, out, i, pc)
    assign_element(st, out, st.kind[i.a], i.b, self:either(st, i))
    return pc + 1
  end

  function step:SETTABLE(st, out, i, pc)
    local of, key, value = st.kind[i.a], st.kind[i.b], self:either(st, i)
    if types.is(key, "known") then
      assign_element(st, out, of, key.value, value)
    elseif types.is(of, "target") and types.is(key, "texts") and not key.list[2] then
      assign(self, st, out, key.list[1], value)
    elseif types.is(of, "vector") and of.of == "target" and types.number(key) and types.number(value.kind) then
      out:emit("STORE", value.place, of.place, self:place(i.b), of.size)
    else
      reject "it writes to a table that is not known"
    end
    return pc + 1
  end

  -- A list has places of its own; one that a loop makes again and again would need many.
  function step:NEWTABLE(st, _, i, pc)
    if self.looping or self.loops[pc] then reject "it makes tables in a loop" end
    st.kind[i.a] = self.b:once(self.proto.code[pc], function() return { is = "new" } end)
    return pc + 2
  end

  function step:SETLIST(st, out, i, pc)
    if not types.is(st.kind[i.a], "new") or i.c ~= 0 or i.k then reject "it makes a long table" end
    local count = i.b == 0 and (st.top or reject "it makes a table of unknown length") - i.a - 1 or i.b
    local key = ("list %d %s"):format(pc, tostring(self))
    local place = self.b:once(key, function() return self.b:room(count) end)
    local kind, alike, name = {}, true, { key }
    for k = 1, count do
      local from = st.kind[i.a + k]
      if not types.number(from) then reject "it makes a table of values that are no numbers" end
      out:emit("MOVE", place + k - 1, self:place(i.a + k))
      kind[k] = types.number(from)
      alike, name[k + 1] = alike and kind[k] == "float", kind[k]
    end
    st.kind[i.a] = self.b:once(table.concat(name, " "), function()
      return { is = "list", place = place, size = count, kind = kind, alike = alike }
    end)
    return pc + 1
  end

  return Frame
end
