-- The source text of a shim; see shim.lua. Numbers arrive as p1, p2, ...;
-- upvalues are numbered u1, u2, ... and handed to the chunk as one list. What
-- does not flow (discrete state, parameters) is set by a function of its own,
-- called when it may have changed, and held in h1, h2, ...
--
-- A handler's shim gets its function, ctx, target and event as arguments, so that handlers of one
-- shape share one: what a thousand clocks touch in turn is little.
local context = require "saltus.context"
local names = require "saltus.names"

local source = {}

source.MOST_NAMES = 100 -- names a shim fills in; others are fetched each time
source.MOST_ELEMENTS = 40 -- a longer vector travels as a table
local MOST_ELEMENTS = source.MOST_ELEMENTS
local MOST_NUMBERS = 150 -- as arguments; Lua's functions have 200 locals
local MOST_RESULTS = 200
local MOST_HELD = 60

-- Codes of what is no partition, as in src/binding/binding.h.
local special = { time = 100, count = 101, t0 = 102, t1 = 103, limit = 104, input = 110, output = 111 }

-- Values that are computed when they are asked for.
function source.is_port(e) return e.partition == "input" or e.partition == "output" end

local Writer = {}
Writer.__index = Writer

local function new_writer(c, tools)
  return setmetatable({ c = c, tools = tools, params = 0, clears = {}, before = {}, after = {}, checks = {}, args = {},
    results = {},
    returns = {}, values = {}, sets = {}, holds = {}, held = 0 }, Writer)
end

function Writer:line(where, text, ...) where[#where + 1] = text:format(...) end

-- The upvalue that stands for a Lua value.
function Writer:upvalue(value)
  for i, known in ipairs(self.values) do if rawequal(known, value) then return "u" .. i end end
  self.values[#self.values + 1] = value
  return "u" .. #self.values
end

function Writer:params_for(size)
  local list = {}
  for i = 1, size do list[i] = "p" .. self.params + i end
  self.params = self.params + size
  return list
end

-- Neighbours of one partition travel as one range.
local function add_range(list, partition, offset, size, at)
  local last = list[#list]
  if last and at == last[4] and at < 0 and partition == last[1] and offset == last[2] + last[3] and partition < 100 then
    last[3] = last[3] + size
  else
    list[#list + 1] = { partition, offset, size, at }
  end
end

function Writer:argument(partition, offset, size, at)
  add_range(self.args, partition, offset, size, at or -1)
end

local function kept(c, e, what)
  local key = what .. e.name
  if not c.tables[key] then
    local list = {}
    for i = 1, e.size do list[i] = 0.0 end
    c.tables[key] = { list = list }
  end
  return c.tables[key]
end

local function lent(c) return not c.event end

local function copy(list) return { table.unpack(list, 1, #list) } end

-- ---- ctx ----

-- Complains unless `place`, which the closure may only read, holds what was put there.
function Writer:check(e, place, value)
  self:line(self.checks, "if %s ~= %s then %s(ctx, %q, %s, %s) end", place, value, self:upvalue(self.tools.written),
    e.name, place, value)
end

function Writer:read_vector(e)
  local number = context.number_of[e.partition]
  local own = kept(self.c, e, "ctx.")
  local v = self:upvalue(own.list)
  if e.size > MOST_ELEMENTS or self.params + e.size > MOST_NUMBERS then
    own.at = own.at or self.c.core:keep_table(own.list)
    self:argument(number, e.offset, e.size, own.at)
    local given = v
    if not lent(self.c) then
      given = "c" .. self.params .. "_" .. e.index
      self:line(self.before, "local %s = %s(%s)", given, self:upvalue(copy), v)
    end
    self:line(self.before, "ctx.%s = %s", e.name, given)
    self:check(e, "ctx." .. e.name, given)
    return
  end
  local p = self:params_for(e.size)
  self:argument(number, e.offset, e.size)
  if not lent(self.c) then
    self:line(self.before, "local c%s = { %s }", p[1], table.concat(p, ", "))
    self:line(self.before, "ctx.%s = c%s", e.name, p[1])
    self:check(e, "ctx." .. e.name, "c" .. p[1])
    return
  end
  for i = 1, e.size do self:line(self.before, "%s[%d] = %s", v, i, p[i]) end
  self:line(self.before, "ctx.%s = %s", e.name, v)
  self:check(e, "ctx." .. e.name, v)
  for i = 1, e.size do self:check(e, ("%s[%d]"):format(v, i), p[i]) end
end

-- An input or output arrives computed; nil is one that failed: the closure finds the name absent
-- and, when it reads it, meets the failure.
function Writer:read_port(e)
  if self.params + e.size > MOST_NUMBERS then return end -- left to be fetched
  local p = self:params_for(e.size)
  self:argument(special[e.partition], e.index - 1, e.size)
  local value = p[1]
  if e.vector then
    value = self:upvalue(kept(self.c, e, "ctx.").list)
    for i = 1, e.size do self:line(self.before, "%s[%d] = %s", value, i, p[i]) end
  elseif e.values then
    value = ("%s[%s]"):format(self:upvalue(e.values), p[1])
  end
  rawset(self.tools.ctx, e.name, false)
  self:line(self.before, "if %s then ctx.%s = %s else %s(ctx, %q, nil) end", p[1], e.name, value,
    self:upvalue(rawset), e.name)
  local written, rawget_ = self:upvalue(self.tools.written), self:upvalue(rawget)
  self:line(self.checks, "if %s and %s(ctx, %q) ~= %s then %s(ctx, %q) end", p[1], rawget_, e.name, value, written,
    e.name)
  for i = 1, e.vector and e.size or 0 do self:check(e, ("%s[%d]"):format(value, i), p[i]) end
end

-- Names that a shim fills in are there already: assigning them calls no metamethod.
function Writer:read(e)
  if source.is_port(e) then return self:read_port(e) end
  if e.vector or self.params < MOST_NUMBERS then rawset(self.tools.ctx, e.name, false) end
  if e.vector then return self:read_vector(e) end
  if self.params >= MOST_NUMBERS then return end -- left to be fetched
  local holds = e.partition == "xd" or e.partition == "param"
  if holds and lent(self.c) and self.held < MOST_HELD then return self:hold(e) end -- handlers come when it changes
  local p = self:params_for(1)[1]
  if e.partition == "time" then
    self:argument(special.time, 0, 1)
  else
    self:argument(context.number_of[e.partition], e.offset, 1)
  end
  local value = e.values and ("%s[%s]"):format(self:upvalue(e.values), p) or p
  self:line(self.before, "ctx.%s = %s", e.name, value)
  self:check(e, "ctx." .. e.name, value)
end

function Writer:hold(e)
  self.held = self.held + 1
  add_range(self.holds, context.number_of[e.partition], e.offset, 1, -1)
  local p, h = "p" .. self.held, "h" .. self.held
  self:line(self.sets, "%s = %s", h, e.values and ("%s[%s]"):format(self:upvalue(e.values), p) or p)
  self:line(self.sets, "ctx.%s = %s", e.name, h)
  self:check(e, "ctx." .. e.name, h)
end

-- ---- dot ----

function Writer:result(e, size, by_table)
  add_range(self.results, context.number_of[e.partition] or 0, e.offset or 0, size, by_table and 1 or -1)
end

function Writer:derivative(e)
  if not e.vector then
    self:line(self.clears, "target.%s = false", e.name)
    self.returns[#self.returns + 1] = "target." .. e.name
    self:result(e, 1)
    return
  end
  local v = self:upvalue(kept(self.c, e, "dot.").list)
  self:line(self.before, "target.%s = %s", e.name, v)
  if e.size <= MOST_ELEMENTS then
    for i = 1, e.size do self:line(self.clears, "%s[%d] = false", v, i) end
  else
    self:line(self.clears, "for i = 1, %d do %s[i] = false end", e.size, v)
  end
  self:line(self.after, "if target.%s ~= %s then %s(ctx, %s, target.%s, %s) end", e.name, v,
    self:upvalue(self.tools.vector), self:upvalue(e), e.name, v)
  self:return_vector(e, v)
end

function Writer:return_vector(e, v)
  local by_table = e.size > MOST_ELEMENTS
  self:result(e, e.size, by_table)
  if by_table then
    self.returns[#self.returns + 1] = v
  else
    for i = 1, e.size do self.returns[#self.returns + 1] = ("%s[%d]"):format(v, i) end
  end
end

-- ---- constraints ----

function Writer:residual(e)
  for i = 1, e.size do self:line(self.clears, "target[%d] = false", i) end
  local by_table = e.size > MOST_ELEMENTS
  self:result(e, e.size, by_table)
  if by_table then
    self.returns[#self.returns + 1] = "target"
  else
    for i = 1, e.size do self.returns[#self.returns + 1] = ("target[%d]"):format(i) end
  end
end

-- A state's value as it is, into the closure's table `into`, for it to read or to change.
function Writer:offer_state(e, into)
  local number = context.number_of[e.partition]
  local few = e.size <= MOST_ELEMENTS and self.params + e.size <= MOST_NUMBERS
  if few then self:argument(number, e.offset, e.size) end
  local p = few and self:params_for(e.size)
  if not e.vector then
    self:line(self.before, "%s.%s = %s", into, e.name,
      p and p[1] or ("%s(ctx, %s)"):format(self:upvalue(self.tools.fetch), self:upvalue(e)))
    return
  end
  local v = self:upvalue(kept(self.c, e, "dot.").list)
  if p then
    for i = 1, e.size do self:line(self.before, "%s[%d] = %s", v, i, p[i]) end
  else
    self:line(self.before, "for i, x in ipairs(%s(ctx, %s)) do %s[i] = x end", self:upvalue(self.tools.fetch),
      self:upvalue(e), v)
  end
  self:line(self.before, "%s.%s = %s", into, e.name, v)
end

-- ---- next ----

local NEXT = -2 -- in the place of a table: read from what the update writes

function Writer:offer_next(e)
  if e.partition == "abstract" or e.size > MOST_ELEMENTS or self.params + e.size > MOST_NUMBERS then
    self:line(self.before, "%s(ctx, %q)", self:upvalue(self.tools.forget), e.name)
    self.c.fetched[e] = true
    return
  end
  local p = self:params_for(e.size)
  self:argument(context.number_of[e.partition], e.offset, e.size, NEXT)
  self.c.present[e.name] = nil
  if e.vector then
    self:line(self.before, "target.%s = { %s }", e.name, table.concat(p, ", "))
  elseif e.values then
    self:line(self.before, "target.%s = %s[%s]", e.name, self:upvalue(e.values), p[1])
  else
    self:line(self.before, "target.%s = %s", e.name, p[1])
  end
end

-- From a mode to its number; what is no mode is wrapped, so that no number passes for one.
local function index_of(values)
  local index = {}
  for i, value in ipairs(values) do index[value] = i end
  return setmetatable(index, { __index = function(_, value) return { no_mode = value } end })
end

-- `guard`: code that is true when the handler's writes stand.
function Writer:take_next(e, where, guard)
  if e.partition == "abstract" then
    local v = self:upvalue(rawget)
    self:line(where, "do local v = %s(target, %q) if v ~= nil and %s then %s(ctx, %s, v) end end", v, e.name, guard,
      self:upvalue(self.tools.put), self:upvalue(e))
    return
  end
  if e.vector then
    self:line(where, "local v_%s = %s(ctx, %s, target.%s)", e.name, self:upvalue(self.tools.vector), self:upvalue(e),
      e.name)
    self:return_vector(e, "v_" .. e.name)
    return
  end
  self:result(e, 1)
  if e.values then
    self.index = self.index or {}
    self.index[e] = self.index[e] or index_of(e.values)
    self.returns[#self.returns + 1] = ("%s[target.%s]"):format(self:upvalue(self.index[e]), e.name)
  else
    self.returns[#self.returns + 1] = "target." .. e.name
  end
end

-- ---- the function ----

-- What a handler cannot see is not told: one that takes no `event` costs none.
local function takes_event(c)
  local info = debug and debug.getinfo(c.fn, "u")
  return not info or info.isvararg or info.nparams > (c.kind == "publish" and 1 or 2)
end

function Writer:event_lines()
  local event = self.c.event
  local function field(code)
    self:argument(code, 0, 1)
    return self:params_for(1)[1]
  end
  self:line(self.before, "event.count = %s", field(special.count))
  if event.trigger == "witness" then
    self:line(self.before, "event.interval = { %s, %s }", field(special.t0), field(special.t1))
    self:line(self.before, "event.limit = %s", field(special.limit))
  end
end

function Writer:call()
  local kind = self.c.kind
  if kind == "velocity_map" then return ("f(ctx, %s, target)"):format(self:upvalue(self.tools.given)) end
  if kind == "derivatives" or kind == "project" or kind == "constraints" or kind == "constraint_rates" then
    return "f(ctx, target)"
  elseif kind == "output" and self.c.entry.abstract then
    self:result({ partition = "output" }, 1)
    self.returns[1] = ("%s(ctx, answer)"):format(self:upvalue(self.tools.answer))
    return "local answer = f(ctx)"
  elseif kind == "output" and self.c.entry.vector then
    local e = self.c.entry
    self:line(self.after, "local out = %s(ctx, %s, answer)", self:upvalue(self.tools.vector), self:upvalue(e))
    self:return_vector(e, "out")
    return "local answer = f(ctx)"
  elseif kind == "output" or kind == "witness" then
    self:result({ partition = "output" }, 1)
    self.returns[1] = "answer"
    return "local answer = f(ctx)"
  elseif kind == "when" then
    self:result({ partition = "output" }, 1)
    self.returns[1] = "answer and 1 or 0"
    return "local answer = f(ctx)"
  elseif kind == "next_time" then
    self:result({ partition = "output" }, 1)
    self.returns[1] = "answer == nil and math.huge or answer"
    return "local answer = f(ctx)"
  end
  self:line(self.after, "if answer ~= nil or outcome.last_made then answer = %s(ctx, answer) end",
    self:upvalue(self.tools.judge))
  self.returns[1] = "answer"
  local event = takes_event(self.c) and ", event" or ""
  return ("local answer = f(ctx%s%s)"):format(kind == "publish" and "" or ", target", event)
end

local function numbered(letter, count)
  local list = {}
  for i = 1, count do list[i] = letter .. i end
  return table.concat(list, ", ")
end

function Writer:text(call, clears, checks, given)
  if #self.returns > MOST_RESULTS then
    error(("%s has %d numbers to answer; gather them in vectors, 200 names are the most"):format(self.c.label,
      #self.returns), 0)
  end
  local params = numbered("p", self.params)
  local separator = given and params ~= "" and ", " or ""
  local lines = { ("function(%s%s%s)"):format(given or "", separator, params) }
  for _, line in ipairs(clears or {}) do lines[#lines + 1] = line end
  for _, line in ipairs(self.before) do lines[#lines + 1] = line end
  lines[#lines + 1] = call
  for _, line in ipairs(checks or {}) do lines[#lines + 1] = line end
  for _, line in ipairs(self.after) do lines[#lines + 1] = line end
  lines[#lines + 1] = "return " .. table.concat(self.returns, ", ")
  lines[#lines + 1] = "end"
  return table.concat(lines, "\n")
end

function Writer:set_text()
  return ("function(%s)\n%s\nend"):format(numbered("p", self.held), table.concat(self.sets, "\n"))
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
function Writer:compile(whose, ...)
  local heads = { ("local %soutcome, u = ..."):format(whose) }
  if #self.values > 0 then
    heads[#heads + 1] = ("local %s = table.unpack(u, 1, %d)"):format(numbered("u", #self.values), #self.values)
  end
  if self.held > 0 then heads[#heads + 1] = "local " .. numbered("h", self.held) end
  local text = table.concat(heads, "\n") .. "\nreturn " .. table.concat({ ... }, ",\n")
  local t, chunk = self.tools, chunk_of(text)
  if whose == SHARED then return chunk, text end
  return chunk(t.f, t.ctx, t.target, t.event, t.outcome, self.values)
end

-- What the first call wrote: a function that answers it in the order of the results.
local function write_harvest(c, tools)
  local w = new_writer(c, tools)
  for _, e in ipairs(c.writes) do w:take_next(e, w.after, "true") end
  return (w:compile(OWN, w:text("", nil, w.checks)))
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
  local chunk, whole = w:compile(SHARED, text)
  local alike = known[whole] or {}
  known[whole] = alike
  for _, shim in ipairs(alike) do if same(shim.values, w.values) then return shim end end
  local shim = { fast = chunk(w.tools.outcome, w.values), values = w.values, args = w.args, results = w.results }
  alike[#alike + 1] = shim
  return shim
end

local function write_handler(c, tools, w)
  local call = w:call()
  for _, e in ipairs(c.target and c.writes or {}) do
    w:offer_next(e)
    w:take_next(e, w.after, "(answer == nil or answer == 1 or answer == 2)")
  end
  local given = takes_event(c) and "f, ctx, target, event" or "f, ctx, target"
  local shim = share(w, tools.known, w:text(call, nil, w.checks, given))
  shim.given = select(2, given:gsub(",", ",")) + 1
  return shim, c.target and write_harvest(c, tools)
end

-- A handler's { fast, given, args, results }, shared, and a function that harvests what its first call wrote; another
-- closure's { fast, clearing, checking, set, args, results, holds }.
function source.write(c, tools)
  local w = new_writer(c, tools)
  table.sort(c.reads, before)
  for _, e in ipairs(c.reads) do w:read(e) end
  if c.event then
    if takes_event(c) then w:event_lines() end
    return write_handler(c, tools, w)
  end
  local call = w:call()
  if c.kind == "derivatives" or c.kind == "project" or c.kind == "velocity_map" then
    for _, e in ipairs(c.kind == "project" and c.writes or {}) do w:offer_state(e, "target") end
    for _, e in ipairs(c.kind == "velocity_map" and c.system.v or {}) do
      w:offer_state(e, w:upvalue(tools.given))
    end
    for _, e in ipairs(c.writes) do w:derivative(e) end
  elseif c.kind == "constraints" or c.kind == "constraint_rates" then
    w:residual(c.writes[1])
  end
  local fast, clearing, checking, set = w:compile(OWN, w:text(call), w:text(call, w.clears),
    w:text(call, w.clears, w.checks), w:set_text())
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
  if not c.target then return ("%s answered %s; a number is wanted"):format(c.label, names.show(value)) end
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
