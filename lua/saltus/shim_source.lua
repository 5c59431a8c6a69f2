-- The source text of a shim; see shim.lua, and shim_writer.lua for its lines.
--
-- A handler's shim gets its function, ctx, target and event as arguments, so that handlers of one
-- shape share one: what a thousand clocks touch in turn is little.
local Writer = require "saltus.shim_writer"
local names = require "saltus.names"

local source = {}

source.MOST_NAMES = 100 -- names a shim fills in; others are fetched each time
source.MOST_ELEMENTS = Writer.MOST_ELEMENTS
source.is_port = Writer.is_port
local MOST_ELEMENTS = Writer.MOST_ELEMENTS
local MOST_RESULTS = 200

-- What a handler cannot see is not told: one that takes no `event` costs none.
local function takes_event(c)
  local info = debug and debug.getinfo(c.fn, "u")
  return not info or info.isvararg or info.nparams > (c.kind == "publish" and 1 or 2)
end

local function event_lines(w)
  local event = w.c.event
  local function field(code)
    w:argument(code, 0, 1)
    return w:params_for(1)[1]
  end
  w:line(w.before, "event.count = %s", field(Writer.special.count))
  if event.trigger == "witness" then
    w:line(w.before, "event.interval = { %s, %s }", field(Writer.special.t0), field(Writer.special.t1))
    w:line(w.before, "event.limit = %s", field(Writer.special.limit))
  end
end

local function call_of(w)
  local kind = w.c.kind
  if kind == "velocity_map" then return ("f(ctx, %s, target)"):format(w:upvalue(w.tools.given)) end
  if kind == "derivatives" or kind == "project" or kind == "constraints" or kind == "constraint_rates" then
    return "f(ctx, target)"
  elseif kind == "output" and w.c.entry.abstract then
    w:result({ partition = "output" }, 1)
    w.returns[1] = ("%s(ctx, answer)"):format(w:upvalue(w.tools.answer))
    return "local answer = f(ctx)"
  elseif kind == "output" and w.c.entry.vector then
    local e = w.c.entry
    w:line(w.after, "local out = %s(ctx, %s, answer)", w:upvalue(w.tools.vector), w:upvalue(e))
    w:return_vector(e, "out")
    return "local answer = f(ctx)"
  elseif kind == "output" or kind == "witness" then
    w:result({ partition = "output" }, 1)
    w.returns[1] = "answer"
    return "local answer = f(ctx)"
  elseif kind == "when" then
    w:result({ partition = "output" }, 1)
    w.returns[1] = "answer and 1 or 0"
    return "local answer = f(ctx)"
  elseif kind == "next_time" then
    w:result({ partition = "output" }, 1)
    w.returns[1] = "answer == nil and math.huge or answer"
    return "local answer = f(ctx)"
  end
  w:line(w.after, "if answer ~= nil or outcome.last_made then answer = %s(ctx, answer) end",
    w:upvalue(w.tools.judge))
  w.returns[1] = "answer"
  local event = takes_event(w.c) and ", event" or ""
  return ("local answer = f(ctx%s%s)"):format(kind == "publish" and "" or ", target", event)
end

local function numbered(letter, count)
  local list = {}
  for i = 1, count do list[i] = letter .. i end
  return table.concat(list, ", ")
end

local function text_of(w, call, clears, checks, given)
  if #w.returns > MOST_RESULTS then
    error(("%s has %d numbers to answer; gather them in vectors, 200 names are the most"):format(w.c.label,
      #w.returns), 0)
  end
  local params = numbered("p", w.params)
  local separator = given and params ~= "" and ", " or ""
  local lines = { ("function(%s%s%s)"):format(given or "", separator, params) }
  for _, line in ipairs(clears or {}) do lines[#lines + 1] = line end
  for _, line in ipairs(w.before) do lines[#lines + 1] = line end
  lines[#lines + 1] = call
  for _, line in ipairs(checks or {}) do lines[#lines + 1] = line end
  for _, line in ipairs(w.after) do lines[#lines + 1] = line end
  lines[#lines + 1] = "return " .. table.concat(w.returns, ", ")
  lines[#lines + 1] = "end"
  return table.concat(lines, "\n")
end

local function set_text(w)
  return ("function(%s)\n%s\nend"):format(numbered("p", w.held), table.concat(w.sets, "\n"))
end

-- Shims of one text share their code: a thousand equal clocks run the same instructions.
local chunks, kept_chunks, MOST_CHUNKS = {}, 0, 500

local function chunk_of(text)
  local chunk = chunks[text]
  if not chunk then
    if kept_chunks >= MOST_CHUNKS then chunks, kept_chunks = {}, 0 end
    chunk = assert(load(text, "=saltus.shim", "t", { table = table, math = math, ipairs = ipairs }))
    chunks[text], kept_chunks = chunk, kept_chunks + 1
  end
  return chunk
end

local OWN, SHARED = "f, ctx, target, event, ", ""

-- The functions whose texts are given, over one set of upvalues.
local function compile(w, whose, ...)
  local heads = { ("local %soutcome, u = ..."):format(whose) }
  if #w.values > 0 then
    heads[#heads + 1] = ("local %s = table.unpack(u, 1, %d)"):format(numbered("u", #w.values), #w.values)
  end
  if w.held > 0 then heads[#heads + 1] = "local " .. numbered("h", w.held) end
  local text = table.concat(heads, "\n") .. "\nreturn " .. table.concat({ ... }, ",\n")
  local t, chunk = w.tools, chunk_of(text)
  if whose == SHARED then return chunk, text end
  return chunk(t.f, t.ctx, rawget(t, "target"), rawget(t, "event"), t.outcome, w.values)
end

-- What the first call wrote: a function that answers it in the order of the results.
local function write_harvest(c, tools)
  local w = Writer.new(c, tools)
  for _, e in ipairs(c.writes) do w:take_next(e, w.after, "true") end
  return (compile(w, OWN, text_of(w, "", nil, w.checks)))
end

-- As the numbers stand in the context: neighbours are handed over together.
local function before(a, b)
  if a.partition ~= b.partition then return a.partition < b.partition end
  return (a.offset or a.index or 0) < (b.offset or b.index or 0)
end

local function same(list, other)
  if #list ~= #other then return false end
  for i, value in ipairs(list) do if not rawequal(value, other[i]) then return false end end
  return true
end

-- One shim for all handlers whose source and upvalues are the same. `known`: those of this run, by source.
local function share(w, known, text)
  local chunk, whole = compile(w, SHARED, text)
  local alike = known[whole] or {}
  known[whole] = alike
  for _, shim in ipairs(alike) do if same(shim.values, w.values) then return shim end end
  local shim = { fast = chunk(w.tools.outcome, w.values), values = w.values, args = w.args, results = w.results }
  alike[#alike + 1] = shim
  return shim
end

local function write_handler(c, tools, w)
  local call = call_of(w)
  for _, e in ipairs(c.target and c.writes or {}) do
    w:offer_next(e)
    w:take_next(e, w.after, "(answer == nil or answer == 1 or answer == 2)")
  end
  local given = takes_event(c) and "f, ctx, target, event" or "f, ctx, target"
  local shim = share(w, tools.known, text_of(w, call, nil, w.checks, given))
  shim.given = select(2, given:gsub(",", ",")) + 1
  return shim, c.target and write_harvest(c, tools)
end

-- A handler's { fast, given, args, results }, shared, and a function that harvests what its first call wrote; another
-- closure's { fast, clearing, checking, set, args, results, holds }.
function source.write(c, tools)
  local w = Writer.new(c, tools)
  table.sort(c.reads, before)
  for _, e in ipairs(c.reads) do w:read(e) end
  if c.event then
    if takes_event(c) then event_lines(w) end
    return write_handler(c, tools, w)
  end
  local call = call_of(w)
  if c.kind == "derivatives" or c.kind == "project" or c.kind == "velocity_map" then
    for _, e in ipairs(c.kind == "project" and c.writes or {}) do w:offer_state(e, "target") end
    for _, e in ipairs(c.kind == "velocity_map" and c.system.v or {}) do
      w:offer_state(e, w:upvalue(tools.given))
    end
    for _, e in ipairs(c.writes) do w:derivative(e) end
  elseif c.kind == "constraints" or c.kind == "constraint_rates" then
    w:residual(c.writes[1])
  end
  local fast, clearing, checking, set = compile(w, OWN, text_of(w, call), text_of(w, call, w.clears),
    text_of(w, call, w.clears, w.checks), set_text(w))
  return { fast = fast, clearing = clearing, checking = checking, set = set, args = w.args, results = w.results,
    holds = w.holds }
end

-- The entry that the i-th result belongs to, and its element.
local function result_entry(c, i)
  for _, e in ipairs(c.writes) do
    local values = e.partition == "abstract" and 0 or e.size > MOST_ELEMENTS and 1 or e.size
    if i <= values then return e, i end
    i = i - values
  end
end

-- The name whose table stands at this place among the closures.
function source.lent_at(c, place)
  for _, e in ipairs(c.reads) do
    local own = c.tables["ctx." .. e.name]
    if own and own.at == place then return e.name end
  end
end

-- The first element of a long vector that cannot be taken.
local function unfit_element(list)
  for k, value in ipairs(list) do
    if type(value) ~= "number" or value - value ~= 0 then return k, value end
  end
  return nil, list
end

-- Why a result cannot be taken.
function source.complaint(c, i, value)
  if not c.target then
    local size = c.kind == "output" and type(value) == "table" and #value
    local cure = size and (', or its size told: { "%s", function(ctx) ... end, size = %d }'):format(c.entry.name, size)
    return ("%s answered %s; a number is wanted%s"):format(c.label, names.show(value), cure or "")
  end
  local e, element = result_entry(c, i)
  if e and e.size > MOST_ELEMENTS and type(value) == "table" then element, value = unfit_element(value) end
  if type(value) == "table" and rawget(value, "no_mode") ~= nil then value = value.no_mode end
  local name = e and (e.vector and ("%s[%d]"):format(e.name, element or 0) or e.name) or "?"
  if value == false then
    local into = c.kind == "derivatives" and "dot." or c.kind == "velocity_map" and "qdot." or ""
    return ("%s leaves %q unset; set %s%s in every branch"):format(c.label, name, into, name)
  end
  if e and e.values then
    return ("%s sets %q to %s; its values are \"%s\""):format(c.label, name, names.show(value),
      table.concat(e.values, '", "'))
  end
  return ("%s sets %q to %s; a %snumber is wanted"):format(c.label, name, names.show(value),
    type(value) == "number" and "finite " or "")
end

return source
