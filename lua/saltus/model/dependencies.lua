-- What outputs read at once: their `needs`, or what they are seen to read when
-- asked once with the defaults. Algebraic loops are found through it.
local dependencies = {}

-- Values as a closure finds them in ctx; `ask` computes an output, `note` is told each name.
local function value_of(e, ask)
  if e.partition == "output" then return ask(e) end
  if e.required and e.abstract then return nil end
  if e.abstract then
    local serialize = require "saltus.util.serialize"
    return serialize.as_readonly(serialize.decode(serialize.encode(e.default)), e.name)
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

-- A ctx with the defaults; `list`, when there is one, notes what is read.
local function recording(system, list, ask)
  local by_name = system.by_name
  return setmetatable({}, {
    __index = function(_, name)
      if name == "time" then return 0.0 end
      local e = by_name[name]
      if name == "past" or name == "past_rate" then
        return require("saltus.model.history").delay_stub(system, function(one) return value_of(one, ask) end)
      end
      if not e then error(("there is no %s"):format(tostring(name)), 0) end
      if list then note(list, e) end
      return value_of(e, ask)
    end,
    __newindex = raise_write_error,
  })
end

-- Calls an output; what it raises is found again when it is really asked for.
local function asker(system, found)
  local ask
  local asking, values = {}, {}
  function ask(output)
    if asking[output] or not output.fn then return values[output] or 0.0 end
    asking[output] = true
    local ok, value = pcall(output.fn, recording(system, found[output], ask))
    values[output] = ok and value or nil
    return ok and value or 0.0
  end
  return ask
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

local reads_of = setmetatable({}, { __mode = "k" }) -- by system, or by what blocks that declare alike have in common

-- output entry -> list of what it reads of its system; no list for one that is not written in
-- Lua and says nothing.
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
    local ask = asker(system, found)
    for _, output in ipairs(open) do ask(output) end
  end
  reads_of[key] = found
  return found
end

-- Takes every write, and has a table of this kind under every name.
local sponge = setmetatable({}, { __newindex = function() end })
getmetatable(sponge).__index = function() return sponge end

-- What a run calls of a system itself, of the functions that only read.
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

-- The ports of a partition, "input" or "output", that functions of a system that only read (derivatives,
-- witnesses, outputs, ...) read at the defaults, themselves or through outputs.
function dependencies.ports_of(system, functions, partition)
  local list, out = new_list(), {}
  local through = setmetatable({}, { __index = function() return list end })
  for _, fn in ipairs(functions) do pcall(fn, recording(system, list, asker(system, through)), sponge) end
  for _, e in ipairs(list) do
    if e.partition == partition then out[#out + 1] = e end
  end
  return out
end

local no_needs = { {}, {} }

-- For the engine: by output, { input numbers, output numbers }; false for one that says nothing.
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

-- What an output was seen to read, if it was asked.
function dependencies.known(system, output)
  local found = reads_of[system]
  return found and not output.needs and found[output] or {}
end

-- An output reads `e` as it runs; what it did not say that it needs is an error.
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

-- A walk over (part, output) pairs along what they need; returns the first circle, in the
-- direction of the signals: { { part =, output =, connection = how it came to the next }, ... }
local ON_PATH, DONE = 1, 2

local function need_of(model, node, i)
  local e = node.list[i]
  if e.partition == "output" then return node.part, e end
  local c = model:feeding(node.part, e)
  if c and c.port.partition == "output" then return c.from, c.port, c end
end

local function circle(path, part, output)
  local first = #path
  while path[first].part ~= part or path[first].output ~= output do first = first - 1 end
  local out = { { part = part, output = output, connection = path[#path].through } }
  for i = #path, first + 1, -1 do -- each is needed by the one before it on the path
    out[#out + 1] = { part = path[i].part, output = path[i].output, connection = path[i - 1].through }
  end
  return out
end

local function new_node(model, part, output)
  local list = dependencies.of(model.parts[part].system)[output] or {}
  return { part = part, output = output, list = list, at = 0 }
end

local function seen_at(state, part, output)
  local of_part = state[part]
  return of_part and of_part[output]
end

local function mark(state, part, output, what)
  local of_part = state[part]
  if of_part then of_part[output] = what else state[part] = { [output] = what } end
end

local function walk(model, state, part, output)
  local path = { new_node(model, part, output) }
  mark(state, part, output, ON_PATH)
  while #path > 0 do
    local top = path[#path]
    top.at = top.at + 1
    if top.at > #top.list then
      mark(state, top.part, top.output, DONE)
      path[#path] = nil
    else
      local next_part, next_output, through = need_of(model, top, top.at)
      local seen = next_part and seen_at(state, next_part, next_output)
      top.through = through
      if seen == ON_PATH then return circle(path, next_part, next_output) end
      if next_part and not seen then
        mark(state, next_part, next_output, ON_PATH)
        path[#path + 1] = new_node(model, next_part, next_output)
      end
    end
  end
end

-- The first algebraic loop of a model, nil when there is none.
function dependencies.find_loop(model)
  local state = {}
  for i, part in ipairs(model.parts) do
    local found = dependencies.of(part.system)
    for _, output in ipairs(part.system.outputs) do
      if not seen_at(state, i, output) and found[output] and found[output][1] then
        local loop = walk(model, state, i, output)
        if loop then return loop end
      end
    end
  end
end

local function join(path, name) return path == "" and name or path .. "." .. name end

function dependencies.loop_text(model, loop)
  local lines = { ("%q has an algebraic loop: each of these values needs the one before it, the first the last")
    :format(model.name) }
  for i, node in ipairs(loop) do
    local path = join(model.parts[node.part].path, node.output.name)
    local c, to = node.connection, loop[i % #loop + 1]
    if c then
      lines[#lines + 1] = ("  %s -> %s  (connected at %s)"):format(path,
        join(model.parts[c.to].path, c.input.name), model:line_of(c))
    else
      lines[#lines + 1] = ("  %s -> %s  (inside of the part)"):format(path,
        join(model.parts[to.part].path, to.output.name))
    end
  end
  lines[#lines + 1] = "break it with a state or a delay; when an output does not use an input at once, say so: "
    .. "outputs = { { \"name\", fn, needs = { ... } } }"
  return table.concat(lines, "\n")
end

return dependencies
