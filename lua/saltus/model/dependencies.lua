-- The names that outputs read directly: their `needs`, or the names that one call with the defaults reads. Algebraic
-- loops are found from them.
local names = require "saltus.util.names"

local dependencies = {}

-- A value of ctx; `compute` returns that of an output.
local function value_of(e, compute)
  if e.partition == "output" then return compute(e) end
  if e.required and e.abstract then return nil end
  if e.abstract then
    local serialize = require "saltus.util.serialize"
    return require("saltus.util.readonly").of(serialize.decode(serialize.encode(e.default)), e.name)
  end
  if e.vector then
    local list = {}
    for i = 1, e.size do list[i] = e.default and e.default[i] or 0.0 end
    return list
  end
  if e.values then return e.values[e.default or 1] end
  return e.default or 0.0
end

-- A list without repetition.
local function new_list() return { seen = {} } end

local function note(list, e)
  if list.seen[e] then return end
  list.seen[e] = true
  list[#list + 1] = e
end

local function raise_write_error(_, name) error(("%s cannot be written"):format(tostring(name)), 0) end

-- A ctx with the defaults; if `list` is given, the entries that are read are added to it.
local function recording(system, list, compute)
  local by_name = system.by_name
  return setmetatable({}, {
    __index = function(_, name)
      if name == "time" then return 0.0 end
      local e = by_name[name]
      if name == "past" or name == "past_rate" then
        return require("saltus.model.history").delay_stub(system, function(one) return value_of(one, compute) end)
      end
      if not e then error(("there is no %s"):format(tostring(name)), 0) end
      if list then note(list, e) end
      return value_of(e, compute)
    end,
    __newindex = raise_write_error,
  })
end

-- Returns a function that computes outputs. Their errors are ignored here: the run raises them again.
local function output_function(system, found)
  local called, values = {}, {}
  local function compute(output)
    if called[output] or not output.fn then return values[output] or 0.0 end
    called[output] = true
    local ok, value = pcall(output.fn, recording(system, found[output], compute))
    values[output] = ok and value or nil
    return ok and value or 0.0
  end
  return compute
end

local nothing = new_list()

local function declared(system, output)
  if not output.needs[1] then return nothing end
  local list = new_list()
  for _, name in ipairs(output.needs) do
    local e = system.by_name[name]
    if e then note(list, e) end
  end
  return list
end

local reads_of = setmetatable({}, { __mode = "k" }) -- by system, or by the prototype of blocks

-- By output, the list of entries of its system that it reads; no list for an output without needs that is not in Lua.
function dependencies.of(system)
  local key = system.shape or system
  if reads_of[key] then return reads_of[key] end
  local found, open = {}, {}
  local outputs, inputs = system.outputs, system.inputs
  for _, output in ipairs(outputs) do
    if output.needs then
      found[output] = declared(system, output)
    elseif output.fn then
      found[output] = new_list()
      open[#open + 1] = output
    end
  end
  if #inputs > 0 or #open > 1 then
    local compute = output_function(system, found)
    for _, output in ipairs(open) do compute(output) end
  end
  reads_of[key] = found
  return found
end

-- Accepts every write, and returns itself for every name.
local sponge = setmetatable({}, { __newindex = function() end })
getmetatable(sponge).__index = function() return sponge end

-- The read-only functions of a system that a run calls directly.
function dependencies.calls_of(system)
  local list = {}
  for _, field in ipairs { "derivatives", "constraints", "constraint_rates" } do list[#list + 1] = system[field] end
  for _, event in ipairs(system.events) do
    for _, field in ipairs { "witness", "becomes", "when", "next_time" } do
      if type(event[field]) == "function" then list[#list + 1] = event[field] end
    end
    for _, finder in ipairs(event.finders or {}) do list[#list + 1] = finder end
  end
  return list
end

-- The ports of a partition, "input" or "output", that such functions read at the defaults, directly or through outputs.
function dependencies.ports_of(system, functions, partition)
  local list = new_list()
  local through = setmetatable({}, { __index = function() return list end })
  for _, fn in ipairs(functions) do pcall(fn, recording(system, list, output_function(system, through)), sponge) end
  return names.filter(list, function(e) return e.partition == partition end)
end

local no_needs = { {}, {} }

-- For the engine: by output, { input numbers, output numbers }; false where they are unknown.
function dependencies.numbers(system)
  local found, out = dependencies.of(system), {}
  for i, output in ipairs(system.outputs) do
    local list = found[output]
    out[i] = list and (list[1] and { {}, {} } or no_needs) or false
    for _, e in ipairs(list or {}) do
      local side = out[i][e.partition == "input" and 1 or e.partition == "output" and 2]
      if side then side[#side + 1] = e.index end
    end
  end
  return out
end

-- Called when an output reads `e` in a run; raises an error if the output has needs and `e` is not one of them.
function dependencies.watch(system, output, e, label)
  local list = output.needs and declared(system, output) or reads_of[system] and reads_of[system][output]
  if not list or list.seen[e] then return end
  if output.needs and (e.partition == "input" or e.partition == "output") then
    error(("%s reads ctx.%s, which its needs leave out; name it there: needs = { %q }"):format(label, e.name,
      e.name), 3)
  end
  note(list, e)
end

-- ---- loops ----

local ON_PATH, DONE = 1, 2

-- An output of a part, with the entries that it needs; `at`: how many of them were visited.
local function new_node(model, part, output)
  local list = dependencies.of(model.parts[part].system)[output] or {}
  return { part = part, output = output, list = list, at = 0, key = part << 32 | output.index }
end

-- The node that one entry needs, and the connection to it.
local function need_of(model, node, e)
  if e.partition == "output" then return new_node(model, node.part, e) end
  local c = model:feeding(node.part, e)
  if c and c.port.partition == "output" then return new_node(model, c.from, c.port), c end
end

-- The circle that `node` closes, in the direction of the signals.
local function circle(path, node)
  local first = #path
  while path[first].key ~= node.key do first = first - 1 end
  local out = { { part = node.part, output = node.output, connection = path[#path].through } }
  for i = #path, first + 1, -1 do -- the previous node on the path needs this one
    out[#out + 1] = { part = path[i].part, output = path[i].output, connection = path[i - 1].through }
  end
  return out
end

-- Depth-first, without recursion; `state`: by key, the state of the walk at a node.
local function walk(model, state, start)
  local path = { start }
  state[start.key] = ON_PATH
  while #path > 0 do
    local top = path[#path]
    top.at = top.at + 1
    if top.at > #top.list then
      state[top.key] = DONE
      path[#path] = nil
    else
      local node, through = need_of(model, top, top.list[top.at])
      top.through = through
      if node and state[node.key] == ON_PATH then return circle(path, node) end
      if node and not state[node.key] then
        state[node.key] = ON_PATH
        path[#path + 1] = node
      end
    end
  end
end

-- The first algebraic loop of a model, { { part =, output =, connection = to the next, if it is one }, ... }; nil if
-- there is none.
function dependencies.find_loop(model)
  local state = {}
  for i, part in ipairs(model.parts) do
    for _, output in ipairs(part.system.outputs) do
      local node = new_node(model, i, output)
      local loop = not state[node.key] and node.list[1] and walk(model, state, node)
      if loop then return loop end
    end
  end
end

function dependencies.loop_text(model, loop)
  local lines = { ("%q has an algebraic loop: each of these values needs the one before it, the first the last")
    :format(model.name) }
  local function path(part, e) return names.join(model.parts[part].path, e.name) end
  for i, node in ipairs(loop) do
    local c, to = node.connection, loop[i % #loop + 1]
    lines[#lines + 1] = ("  %s -> %s  (%s)"):format(path(node.part, node.output),
      c and path(c.to, c.input) or path(to.part, to.output),
      c and "connected at " .. model:line_of(c) or "inside of the part")
  end
  lines[#lines + 1] = "break it with a state or a delay; when an output does not use an input at once, say so: "
    .. "outputs = { { \"name\", fn, needs = { ... } } }"
  return table.concat(lines, "\n")
end

return dependencies
