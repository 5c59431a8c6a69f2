-- Translates a closure into a program: a few instructions on doubles, which the core runs without Lua
-- (src/tape/bytecode_vm.h) with the same bits as Lua. A closure that does anything else stays in Lua.
--
-- The translator starts from the closure's own instructions, after some calls. The program reads only names that the
-- closure has read, or that always exist. It fetches numbers among the upvalues, and in tables there, in every run. If
-- it meets a value for which it was not written (an element out of range, an upvalue that is no longer a number), the
-- closure runs instead.
local core = require "saltus.core"
local Emitter = require "saltus.closure.compiler.emitter"
local Frame = require "saltus.closure.compiler.interpreter"
local names = require "saltus.util.names"
local types = require "saltus.closure.compiler.types"
local optimizer = require "saltus.closure.compiler.optimizer"

local translator = {}

local op_number = {}
for i, name in ipairs(core.program_operations()) do op_number[name] = i - 1 end

local argument, wants = core.constants.argument, core.constants.want
local FIRST_SPECIAL, FIRST_PORT = argument.time, argument.input -- codes of arguments that are not partitions
local LAST_FLOWING = core.constants.partition.z
local updates = { discrete_update = true, unrestricted_update = true }
local residuals = { constraints = true, constraint_rates = true }
local returning = { output = true, witness = true, when = true, next_time = true }

-- The kinds of the closure's parameters. Declares its results.
local function parameters(b, c)
  b.starts_as_next = updates[c.kind]
  local list = { { is = "ctx" }, { is = "target" }, { is = "event" } }
  if returning[c.kind] then return { list[1] } end
  for _, e in ipairs(c.writes) do
    if e.partition == "abstract" then Emitter.reject "it writes abstract state" end
    local place = b:result(e, b.starts_as_next)
    if residuals[c.kind] then list[2] = { is = "vector", place = place, size = e.size, of = "target" } end
  end
  return b.starts_as_next and list or { list[1], list[2] }
end

local function return_vector(b, e, kind)
  if not (types.is(kind, "vector") or types.is(kind, "list")) or kind.size ~= e.size then
    Emitter.reject "it returns no vector of that size"
  end
  local to = b:result({ name = "returned value", size = e.size })
  for k = 0, e.size - 1 do b:emit("MOVE", to + k, kind.place + k) end
end

-- Converts the results of a closure to the type that its caller needs.
local convert_result = {}

function convert_result.next_time(b, value)
  return value.kind == "nil" and { place = b:constant(math.huge), kind = "float" } or value
end

local function return_value(b, c, frame, kind)
  local e = c.entry
  if e and (e.abstract or e.values) then Emitter.reject "it does not return a number" end
  if e and e.vector then return return_vector(b, e, kind) end
  if c.kind == "when" and kind ~= "boolean" then Emitter.reject "it does not return true or false" end
  if c.kind ~= "when" and not types.number(kind) then Emitter.reject "it does not return a number" end
  b:emit("MOVE", b:result { name = "returned value", size = 1 }, frame:returned_place(1))
end

local function finish(b, c, frame, after, count)
  if not after then Emitter.reject "it never returns" end
  if returning[c.kind] then return return_value(b, c, frame, after.kind[1]) end
  if b.starts_as_next and count > 0 then Emitter.reject "it returns an outcome" end
  if not b.starts_as_next then b:mark_maybe_unset(after.set) end
end

-- The same moves, one for each number.
local function spread(moves)
  local out = {}
  for _, m in ipairs(moves) do
    for k = 0, m[3] - 1 do out[#out + 1] = { m[1], m[2] + k, 1, m[4] + k, m[5] } end
  end
  return out
end

-- Writes the code of closure c to b. `given`: the kinds of its parameters. Returns the frame and, as Frame.follow, the
-- state at its end.
function translator.follow(b, c, given)
  local frame = Frame.new(b, c.fn, nil, 1, false)
  frame.convert = convert_result[c.kind]
  local first = { kind = {}, set = {} }
  for n = 1, frame.proto.params do first.kind[n - 1] = given[n] or "nil" end
  return frame, frame:follow(first, b)
end

local function write(c)
  local b = Emitter.new(c)
  for _, e in ipairs(c.reads) do b:read(e) end -- in the order of the context
  finish(b, c, translator.follow(b, c, parameters(b, c)))
  b:emit "END"
  b.stores = spread(b.stores)
  b.code = optimizer.code(b.code, b.stores)
  return b
end

-- ---- description ----

local function packed(code)
  return table.concat(names.map(code, function(i)
    return string.pack("=I2I2I2I2I2", op_number[i.op], i.a, i.b, i.c, i.d)
  end))
end

-- The loads that the code uses, by how often they are needed: ports, which are computed; continuous state; discrete
-- state and parameters, loaded once between events; and the rest.
local function sort_loads(loads, code, stores)
  local wanted = optimizer.needed_places(code, stores)
  local ports, flowing, held, others = names.filter(loads, function(m) return m[1] >= FIRST_PORT end), {}, {}, {}
  for _, m in ipairs(spread(loads)) do
    local partition = m[1]
    local list = (m[5] == Emitter.NEXT or partition >= FIRST_SPECIAL) and others
      or partition <= LAST_FLOWING and flowing or held
    if partition < FIRST_PORT and wanted[m[4]] then list[#list + 1] = m end
  end
  return ports, flowing, held, others
end

-- { number of the parent, whether the parent is a function, key, what is wanted, place }
local function fetch_list(b)
  return names.map(b.fetches, function(node)
    local parent = node.parent
    local of_function = not (parent and parent.table)
    return { parent and parent.number or 0, of_function, node.key, wants[node.as], node.place or 0 }
  end)
end

local function question_list(b)
  return names.map(b.questions, function(q) return { q.past, q.rate, q.absolute } end)
end

-- The description that core:program takes, of code with labels; and `listing`, the code as a list.
function translator.describe(b, labelled, stores)
  local ports, flowing, held, others = sort_loads(b.loads, labelled, stores)
  local code = optimizer.place_jumps(labelled)
  return { code = packed(code), places = math.max(b.places, #code), constants = b.constants, ports = ports,
    flowing = flowing, held = held, others = others, stores = stores, fetches = fetch_list(b),
    questions = question_list(b), listing = code }
end

-- The description of a closure's program, and its builder; nil and the reason if the closure stays in Lua.
function translator.write(c)
  local kind = c.kind
  if not (kind == "derivatives" or updates[kind] or residuals[kind] or returning[kind]) then
    return nil, "it is " .. kind
  end
  local b, why = Emitter.attempt(write, c)
  if not b then return nil, why end
  return translator.describe(b, b.code, b.stores), b
end

return translator
