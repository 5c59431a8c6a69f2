-- The instructions that read and write tables: ctx and the tables that a closure writes, vectors, upvalues and their
-- contents, short lists. interpreter.lua describes their arguments and results.
local Emitter = require "saltus.closure.compiler.emitter"
local delay_ops = require "saltus.closure.compiler.delay_ops"
local types = require "saltus.closure.compiler.types"
local math_ops = require "saltus.closure.compiler.math_ops"

local reject = Emitter.reject
local straight = {}
local TIME = { name = "time", partition = "time", size = 1 }

-- ---- upvalues and tables of Lua ----

local function math_function(b, key, value)
  return { kind = b:once(key, function() return { is = "function", name = math_ops.name_of[value] } end) }
end

-- The value at a node.
local function fetched(b, node)
  local value = node.value
  local kind = type(value)
  if kind == "number" or kind == "boolean" or kind == "nil" then
    b:want(node, kind)
    return { place = node.place, kind = kind }
  elseif kind == "table" then
    local is = rawequal(value, math) and "math" or kind
    return { kind = b:once(node, function() return { is = is, node = node } end) }
  elseif kind ~= "function" then
    reject(("it reads a %s of Lua"):format(kind))
  end
  b:want(node, "same")
  if math_ops.name_of[value] then return math_function(b, node, value) end
  return { kind = b:once(node, function() return { is = "closure", node = node } end) }
end

-- A field of `math`. A program is written for its present value; if a run finds another one, the closure runs instead.
local function of_math(b, node, name)
  local field = b:fetch(node, name)
  local value = field.value
  if math.type(value) == "float" then
    b:want(field, "equal")
    return { place = field.place, kind = "float" }
  end
  if not math_ops.name_of[value] then reject(("it reads math.%s"):format(tostring(name))) end
  b:want(field, "same")
  return math_function(b, "math." .. name, value)
end

local function upvalue(frame, i) return fetched(frame.b, frame.b:fetch(frame.node, i.b + 1)) end

-- ---- reading ----

local function entry(b, e, place, of)
  if e.vector then
    return { kind = b:once(of .. " " .. e.name, function()
      return { is = "vector", place = place, size = e.size, of = of }
    end) }
  elseif e.values then
    return { place = place, kind = b:once("mode " .. e.name, function() return { is = "mode", e = e } end) }
  end
  return { place = place, kind = "float" }
end

local function result_of(b, name)
  return b.result_of[name] or reject(("it never wrote %s so far"):format(tostring(name)))
end

-- Results of an update have initial values; others must be written before they are read.
local function check_set(b, st, place)
  if not b.starts_as_next and not st.set[place] then reject "it reads a result before it writes it" end
end

-- A vector that is assigned as a whole is another table from then on, so its elements must not be used too.
local function treat(result, as)
  if result.treated and result.treated ~= as then reject "it assigns a vector whole and looks at it too" end
  result.treated = as
end

local function is_list(of) return types.is(of, "vector") or types.is(of, "list") end

local function place_of_element(of, key)
  return math.type(key) == "integer" and key >= 1 and key <= of.size and of.place + key - 1
end

-- A field or an element, by the kind of table; nil: unknown.
local field = {}

function field.ctx(b, _, _, name)
  local c = b.c
  if (name == "past" or name == "past_rate") and c.system.pasts and c.system.pasts[1] then
    return { kind = delay_ops.view(b, name) }
  end
  local e = name == "time" and TIME or c.system.by_name[name]
  if not e or e.abstract then reject(("it reads ctx.%s"):format(tostring(name))) end
  if (e.partition == "input" or e.partition == "output") and not c.seen[e] then
    reject(("it never read ctx.%s so far"):format(name))
  end
  return entry(b, e, b:read(e), "ctx")
end

function field.target(b, st, _, name)
  local result = result_of(b, name)
  if result.e.vector then treat(result, "by elements") else check_set(b, st, result.place) end
  return entry(b, result.e, result.place, "target")
end

function field.event(b, _, _, name)
  if name ~= "count" then reject "it reads more of the event than its count" end
  return { place = b:read_count(), kind = "integer" }
end

function field.past(b, _, of, name) return { kind = delay_ops.reader(b, of, name, false) } end

function field.math(b, _, of, name) return of_math(b, of.node, name) end

function field.table(b, _, of, key) return fetched(b, b:fetch(of.node, key)) end

function field.vector(b, st, of, key)
  local place = place_of_element(of, key)
  if place and of.of == "target" then check_set(b, st, place) end
  return place and { place = place, kind = "float" }
end

function field.list(_, _, of, key)
  local place = place_of_element(of, key)
  return place and { place = place, kind = of.kind[key] }
end

local function get(frame, st, of, key)
  local read = type(of) == "table" and field[of.is]
  return read and read(frame.b, st, of, key) or reject "it reads a table that is not known"
end

-- ---- writing ----

local function assign_vector(st, out, result, value)
  local of = value.kind
  if not is_list(of) or of.size ~= result.e.size or of.of == "target" then
    reject "it assigns no vector of that size"
  end
  treat(result, "whole")
  for k = 0, of.size - 1 do
    out:emit("MOVE", result.place + k, of.place + k)
    st.set[result.place + k] = true
  end
end

-- The place of a mode's number.
local function mode_constant(b, e, name)
  for k, value in ipairs(e.values) do if value == name then return b:constant(k) end end
  reject "it assigns a value that the mode does not have"
end

local function assign_mode(b, out, result, value)
  local e, texts = result.e, types.is(value.kind, "texts") and value.kind.list or {}
  if types.is(value.kind, "mode") and value.kind.e == e then
    out:emit("MOVE", result.place, value.place)
    return
  end
  out:emit("MOVE", result.place, mode_constant(b, e, texts[1]))
  for k = 2, #texts do
    local otherwise = {}
    out:jump("JNEQ", otherwise, value.place, b:text(texts[k]))
    out:emit("MOVE", result.place, mode_constant(b, e, texts[k]))
    out:label(otherwise)
  end
end

local function assign(frame, st, out, name, value)
  local b, result = frame.b, result_of(frame.b, name)
  if result.e.vector then return assign_vector(st, out, result, value) end
  if result.e.values then
    assign_mode(b, out, result, value)
  else
    if not types.number(value.kind) then reject "it assigns a value that is not a number" end
    out:emit("MOVE", result.place, value.place)
  end
  st.set[result.place] = true
end

-- A list remembers its contents: several names may share it.
local function assign_element(st, out, of, key, value)
  if not types.number(value.kind) then reject "it assigns a value that is not a number" end
  local place = types.is(of, "vector") and of.of == "target" and place_of_element(of, key)
  if not place then reject "it writes to a table that is not known" end
  out:emit("MOVE", place, value.place)
  st.set[place] = true
end

-- ---- instructions ----

-- The string or integer that a key is known to be, or nil.
local function known_key(key)
  if types.is(key, "known") then return key.value end
  return types.is(key, "texts") and not key.list[2] and key.list[1] or nil
end

function straight.GETUPVAL(frame, st, out, i) frame:put(st, out, i.a, upvalue(frame, i)) end

function straight.GETTABUP(frame, st, out, i)
  frame:put(st, out, i.a, get(frame, st, upvalue(frame, i).kind, frame.proto.constants[i.c].value))
end

function straight.GETFIELD(frame, st, out, i)
  frame:put(st, out, i.a, get(frame, st, st.kind[i.b], frame.proto.constants[i.c].value))
end

function straight.GETI(frame, st, out, i) frame:put(st, out, i.a, get(frame, st, st.kind[i.b], i.c)) end

-- A method: only a reader of the past has one.
function straight.SELF(frame, st, _, i)
  local of, name = st.kind[i.b], i.k and frame.proto.constants[i.c].value
  if not types.is(of, "reader") or of.absolute or name ~= "at" then reject "it calls a method that is not known" end
  st.kind[i.a + 1] = of
  st.kind[i.a] = delay_ops.reader(frame.b, of, of.name, true)
end

function straight.GETTABLE(frame, st, out, i)
  local of, key = st.kind[i.b], st.kind[i.c]
  local known = known_key(key)
  if known then return frame:put(st, out, i.a, get(frame, st, of, known)) end
  if not (types.is(of, "vector") or types.is(of, "list") and of.is_floats) or not types.number(key) then
    reject "it looks up an unknown key in a table"
  end
  if of.of == "target" and not frame.b.starts_as_next then reject "it may read a result before it writes it" end
  out:emit("LOAD", frame:place(i.a), of.place, frame:place(i.c), of.size)
  st.kind[i.a] = "float"
end

function straight.LEN(frame, st, out, i)
  local of = st.kind[i.b]
  if not is_list(of) then reject "it takes a length that is not known" end
  frame:put(st, out, i.a, frame:value(of.size))
end

function straight.SETFIELD(frame, st, out, i)
  if not types.is(st.kind[i.a], "target") then reject "it writes to a table that is not known" end
  assign(frame, st, out, frame.proto.constants[i.b].value, frame:either(st, i))
end

function straight.SETI(frame, st, out, i) assign_element(st, out, st.kind[i.a], i.b, frame:either(st, i)) end

function straight.SETTABLE(frame, st, out, i)
  local of, key, value = st.kind[i.a], st.kind[i.b], frame:either(st, i)
  local known = known_key(key)
  if types.is(key, "known") then
    assign_element(st, out, of, known, value)
  elseif types.is(of, "target") and known then
    assign(frame, st, out, known, value)
  elseif types.is(of, "vector") and of.of == "target" and types.number(key) and types.number(value.kind) then
    out:emit("STORE", value.place, of.place, frame:place(i.b), of.size)
  else
    reject "it writes to a table that is not known"
  end
end

-- A list has places of its own. A list that a loop makes repeatedly would need many.
function straight.NEWTABLE(frame, st, _, i, pc)
  if frame.looping or frame.loops[pc] then reject "it makes tables in a loop" end
  st.kind[i.a] = frame.b:once(frame.proto.code[pc], function() return { is = "new" } end)
end

function straight.SETLIST(frame, st, out, i, pc)
  local b = frame.b
  if not types.is(st.kind[i.a], "new") or i.c ~= 0 or i.k then reject "it makes a long table" end
  local count = i.b == 0 and (st.top or reject "it makes a table of unknown length") - i.a - 1 or i.b
  local key = ("list %d %s"):format(pc, tostring(frame))
  local place = b:once(key, function() return b:room(count) end)
  local kind, is_floats = {}, true
  for k = 1, count do
    kind[k] = types.number(st.kind[i.a + k]) or reject "it makes a table of values that are not numbers"
    out:emit("MOVE", place + k - 1, frame:place(i.a + k))
    is_floats = is_floats and kind[k] == "float"
  end
  st.kind[i.a] = b:once(key .. " " .. table.concat(kind, " "), function()
    return { is = "list", place = place, size = count, kind = kind, is_floats = is_floats }
  end)
end

return { straight = straight, leading = {} }
