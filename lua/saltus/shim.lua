-- Shims: the small functions between the engine and a closure.
--
-- The engine hands numbers and takes numbers. A shim puts them where the closure
-- looks for them, a plain table `ctx`, calls it, and answers what it left in
-- `dot` or `next`. It is written as source for the names that the closure has
-- read so far: a name that is absent is fetched by a metamethod, noted, and the
-- shim written anew. So a misspelt name costs nothing, and a witness that reads
-- one of 28 states pays for one.
--
-- Every shim has a twin that clears `dot` first, so that what is left unset is seen, called every
-- twelfth time, and one that also looks whether the closure wrote to `ctx`, called first, after each
-- update and every thirty-sixth time (src/binding/l_call.c).
local context = require "saltus.context"
local names = require "saltus.names"
local outcome = require "saltus.outcome"
local source = require "saltus.shim_source"
local system_module = require "saltus.system"

local shim = {}

local flows = { "q", "v", "z" }
local writable = {
  discrete_update = { xd = true },
  unrestricted_update = { q = true, v = true, z = true, xd = true, abstract = true, param = true },
}
local FIT_PROGRAM = 2 -- what the core asks for when a closure has been called some times; src/binding/binding.h
local TIME = { name = "time", partition = "time", size = 1 }

-- ---- what the closure reads ----

local function known_names(c)
  local list = { "time" }
  for name in pairs(c.system.by_name) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- `level`: of the closure's line.
local function refuse_name(c, what, name, level)
  error(names.unknown(("name %%s in %s of %s"):format(what, c.label), name, known_names(c)), level)
end

local function fetch(c, e)
  if e == TIME then return c.core:time(context.RUN) end
  return context.read(c.core, context.RUN, c.part, e)
end

-- Names that arrive with the call; others are fetched when they are read.
local function travels(c, e)
  if #c.reads >= source.MOST_NAMES or e.abstract then return false end
  return not source.is_port(e) or not c.event and e.size <= source.MOST_ELEMENTS
end

-- What an output was seen to read needs not be found again.
local function expect(c, list)
  for _, e in ipairs(list) do
    if travels(c, e) then
      c.read_already[e], c.seen[e] = true, true
      c.reads[#c.reads + 1] = e
    end
  end
end

local function missing(c, name)
  local e = name == "time" and TIME or c.system.by_name[name]
  if not e then
    if name == "past" or name == "past_rate" then
      error(("%s keeps no past; declare past = { name = seconds }"):format(c.owner), 2)
    end
    if name == "random" then error("ctx has no random; an update draws by next.random()", 2) end
    refuse_name(c, "ctx", name, 3)
  end
  if c.entry then require("saltus.reads").watch(c.system, c.entry, e, c.label) end
  c.seen[e] = true
  if not c.read_already[e] and travels(c, e) then
    c.read_already[e] = true
    c.reads[#c.reads + 1] = e
    c.core:touch(c.k)
  end
  return fetch(c, e)
end

local flowing = { q = true, v = true, z = true }

-- Where what was meant can be written.
local function cure(c, name)
  local e = c.system.by_name[name]
  local partition = e and e.partition
  if c.kind == "derivatives" and flowing[partition] then return ("; write dot.%s"):format(name) end
  if writable[c.kind] and writable[c.kind][partition] then return ("; write next.%s"):format(name) end
  if partition == "xd" then return ("; an update may write next.%s"):format(name) end
  if writable.unrestricted_update[partition] then return ("; an unrestricted update may write next.%s"):format(name) end
  return "; keep what is no state in a local"
end

local function refuse_write(c, name, level)
  error(("%s of %s writes ctx.%s, but ctx is read-only%s"):format(c.what, c.owner, tostring(name), cure(c, name)),
    level or 0)
end

-- A table with room to spare: names hardly ever share a hash slot.
local function roomy(c, names_in_it) return c.core.sparse(4 * names_in_it) end

local function count(t)
  local n = 0
  for _ in pairs(t) do n = n + 1 end
  return n
end

local function make_ctx(c)
  local room = c.kind == "derivatives" and math.min(count(c.system.by_name) + 1, source.MOST_NAMES) or 0
  local ctx = roomy(c, room)
  if c.system.pasts and #c.system.pasts > 0 then
    local past = require "saltus.past"
    ctx.past = past.view(c.core, c.part, c.system, false)
    ctx.past_rate = past.view(c.core, c.part, c.system, true)
  end
  return setmetatable(ctx, {
    __index = function(_, name) return missing(c, name) end,
    __newindex = function(_, name) refuse_write(c, name, 3) end,
    __pairs = function() return require("saltus.shown").each_of_ctx(c.system, c.kind, ctx) end,
    __tostring = function() return require("saltus.shown").text_of_ctx(c.system, c.kind, ctx) end,
  })
end

-- ---- derivatives ----

local function continuous(system)
  local list = {}
  for _, section in ipairs(flows) do
    for _, e in ipairs(system[section]) do list[#list + 1] = e end
  end
  return list
end

local function make_dot(c)
  local known, is_known = {}, {}
  for i, e in ipairs(c.writes) do known[i], is_known[e.name] = e.name, true end
  local function refuse(_, name)
    if is_known[name] then error(("%s sets %q to nil; a number is wanted"):format(c.label, name), 0) end
    local what = c.kind == "derivatives" and "derivative" or "name"
    error(names.unknown(("%s %%s in %s of %s"):format(what, c.kind, c.owner), name, known), 2)
  end
  local dot = roomy(c, #known)
  for _, name in ipairs(known) do dot[name] = false end
  return setmetatable(dot, { __index = refuse, __newindex = refuse })
end

-- ---- constraints ----

local residuals = { constraints = "residual", constraint_rates = "rate" }

-- A sequence of known length takes the place of `dot`.
local function make_residual(c, size)
  local e = { name = residuals[c.kind], size = size, vector = true, partition = "output", offset = 0 }
  c.writes = { e }
  local known = ("%s has %s[1] to [%d]"):format(c.label, e.name, size)
  local function refuse(_, key) error(("%s, not [%s]"):format(known, tostring(key)), 2) end
  local list = {}
  for i = 1, size do list[i] = false end
  return setmetatable(list, { __index = refuse, __newindex = refuse })
end

local function make_velocity(c)
  local known = {}
  for i, e in ipairs(c.system.v) do known[i] = e.name end
  local function refuse(_, name)
    error(names.unknown(("name %%s in v of velocity_map of %s"):format(c.owner), name, known), 2)
  end
  local v = {}
  for _, name in ipairs(known) do v[name] = false end
  return setmetatable(v, { __index = refuse, __newindex = refuse })
end

-- ---- updates ----

local function note_write(c, e)
  if c.written[e] then return end
  c.written[e] = true
  c.writes[#c.writes + 1] = e
  c.core:touch(c.k)
end

-- A name that was written before stands in `next` already, or, when it is one that is fetched,
-- since this call's first touch: when it is not there, it was set to nil.
local function check_erased(c, e)
  if c.present[e.name] or c.written[e] and not c.fetched[e] then
    error(("%s sets next.%s to nil"):format(c.label, e.name), 0)
  end
end

local function current_next(c, e)
  if e.partition == "abstract" then
    return require("saltus.plain").decode(c.core:slot(context.NEXT, c.part, e.slot))
  end
  local computed = e.partition == "output" or e.partition == "input"
  return context.read(c.core, computed and context.RUN or context.NEXT, c.part, e)
end

local function may_write(c, name)
  local e = c.system.by_name[name]
  if not e and name == "time" then error(("%s: time cannot be written; ctx.time says it"):format(c.label), 3) end
  if not e then refuse_name(c, "next", name, 4) end
  return e, writable[c.kind][e.partition]
end

local function make_next(c)
  local stream = require("saltus.random").new(function() return c.core:draw(c.part) end)
  return setmetatable({}, {
    __index = function(next, name)
      if name == "random" then return stream end
      local e, may = may_write(c, name)
      check_erased(c, e)
      local value = current_next(c, e)
      if may then
        note_write(c, e)
        c.present[name] = true
        rawset(next, name, value)
      end
      return value
    end,
    __newindex = function(next, name, value)
      local e, may = may_write(c, name)
      if not may then
        local other = c.kind == "discrete_update" and writable.unrestricted_update[e.partition]
        error(("%s may write %s only, not %q%s"):format(c.label, c.kind == "discrete_update" and "discrete names"
          or "states and parameters", name, other and "; an unrestricted_update may" or ""), 2)
      end
      if value == nil then error(("%s sets next.%s to nil"):format(c.label, name), 2) end
      note_write(c, e)
      c.present[name] = true
      rawset(next, name, value)
    end,
  })
end

-- ---- answers ----

local codes = { did_nothing = 0, terminate = 2, fail = 3 }

-- What a handler or the monitor returned, as the engine's number (sal_outcome).
function shim.judge(core, o, label, whole)
  local made = outcome.take()
  if o == nil then
    if made then
      error(("%s made %s and did not return it; write `return saltus.%s(...)`"):format(label, tostring(made),
        made.kind), 0)
    end
    return 1
  end
  if not outcome.is(o) then
    error(("%s returned %s; return nothing, saltus.did_nothing, saltus.terminate(why) or saltus.fail(why)"):format(
      label,
      names.show(o)), 0)
  end
  if made and made ~= o then error(("%s made %s and returned another outcome"):format(label, tostring(made)), 0) end
  core:note(o.message or "", o.path == "" and whole or o.path or "")
  return codes[o.kind]
end

-- The place of the closure in front: where it did what is told cannot be said.
local function complain(c, text, ...)
  error(("%s: %s %s"):format(names.defined(c.fn) or c.system.source, c.label, text:format(...)), 0)
end

-- A vector that a closure assigned whole.
local function as_vector(c, e, value, lent)
  if type(value) ~= "table" and getmetatable(value) == nil then
    complain(c, "sets %q to %s; it has %d elements", e.name, names.show(value), e.size)
  end
  for i = 1, e.size do
    if type(value[i]) ~= "number" then
      complain(c, "sets %s[%d] to %s; a number is wanted", e.name, i, names.show(value[i]))
    end
  end
  if rawlen(value) > e.size then complain(c, "sets %q to a list of %d; it has %d elements", e.name, #value, e.size) end
  if getmetatable(value) == nil and next(value, e.size) ~= nil then -- its last element need not be its last key
    for key in pairs(value) do
      if math.type(key) ~= "integer" or key < 1 or key > e.size then
        complain(c, "sets %s[%s]; it has [1] to [%d]", e.name, tostring(key), e.size)
      end
    end
  end
  if not lent then return value end
  for i = 1, e.size do lent[i] = value[i] end
  return lent
end

-- ---- what the source of a shim calls ----

local closure_of = setmetatable({}, { __mode = "k" }) -- by its ctx
local tools = {}

function tools.written(ctx, name, now, was)
  if now ~= now and was ~= was then return end
  refuse_write(closure_of[ctx], name)
end

function tools.vector(ctx, e, value, own) return as_vector(closure_of[ctx], e, value, own) end

-- The answer of an abstract output stays in Lua; the engine gets a number in its place.
function tools.answer(ctx, value)
  local c = closure_of[ctx]
  context.keep_answer(c.core, c.part, c.entry, value)
  return 0.0
end

function tools.fetch(ctx, e) return fetch(closure_of[ctx], e) end

function tools.judge(ctx, o)
  local c = closure_of[ctx]
  local proper = o == nil and not outcome.last_made or outcome.is(o)
  local label = proper and c.label or ("%s: %s"):format(names.defined(c.fn) or c.system.source, c.label)
  return shim.judge(c.core, o, label, c.model.name)
end

function tools.forget(ctx, name)
  local c = closure_of[ctx]
  rawset(c.target, name, nil)
  c.present[name] = nil
end

function tools.put(ctx, e, value)
  local c = closure_of[ctx]
  if type(value) == "function" or type(value) == "userdata" then
    complain(c, "sets %q to a %s; abstract state holds plain data", e.name, type(value))
  end
  local ok, bytes = pcall(require("saltus.plain").encode, value)
  if not ok then complain(c, "sets %q: %s", e.name, bytes) end
  c.core:put(c.part, e.slot, bytes)
end

-- ---- making them ----

local event_fields = { "name", "count", "interval", "before", "limit" }

local function make_event(c)
  if not c.event then return nil end
  return setmetatable({ name = c.event.name }, {
    __index = function(_, key)
      if key == "before" and c.event.trigger == "witness" then
        return context.new(c.core, c.model, context.BEFORE, false, c.path)
      end
      for _, field in ipairs(event_fields) do if key == field then return nil end end
      return error(names.unknown(("field %%s of the event in %s"):format(c.label), key, event_fields), 2)
    end,
  })
end

local function write(c)
  local made, harvest = source.write(c, setmetatable({ f = c.fn, ctx = c.ctx, target = c.target,
    event = c.event_table, outcome = outcome, known = c.known, given = c.given }, { __index = tools }))
  if not c.event then
    c.core:fitted(c.k, made.fast, made.clearing, made.checking, made.set, made.args, made.results, made.holds)
    return nil
  end
  made.number = made.number or c.core:share(made.fast, made.given, made.args, made.results, {})
  c.core:fitted_shared(c.k, made.number, c.fn, c.ctx, c.target, c.event_table)
  return harvest
end

local function new_closure(maker, part, k, kind, fn, what, event, e)
  local m = maker.model.parts[part]
  local owner = ("%q"):format(m.path ~= "" and m.path or m.system.name)
  local c = { core = maker.core, model = maker.model, known = maker.shims, part = part,
    path = m.path, k = k, kind = kind, fn = fn,
    system = m.system, owner = owner, what = what, label = ("%s of %s"):format(what, owner), event = event, entry = e,
    reads = {}, read_already = {}, seen = {}, writes = {}, written = {}, fetched = {}, present = {}, tables = {} }
  if e and #m.system.inputs > 0 then expect(c, require("saltus.reads").known(m.system, e)) end
  c.ctx = make_ctx(c)
  closure_of[c.ctx] = c
  c.event_table = make_event(c)
  if kind == "derivatives" or kind == "project" then
    c.writes = continuous(m.system)
    c.target = make_dot(c)
  elseif kind == "velocity_map" then
    for i, q in ipairs(m.system.q) do c.writes[i] = q end
    c.target, c.given = make_dot(c), make_velocity(c)
  elseif residuals[kind] then
    c.target = make_residual(c, maker.sizes[part][kind])
  elseif writable[kind] then
    c.target = make_next(c)
  end
  return c
end

-- All closures of a part, by the numbers that the engine calls them by.
local function add_part(maker, part)
  local system = system_module.content(maker.model.parts[part].system)
  if system.block then return end -- it has no closures
  local first, outputs = maker.core:closures(part)
  local function add(k, kind, fn, what, event, e)
    if fn then maker.closures[k] = { part, k, kind, fn, what, event, e } end
  end
  add(first, "derivatives", system.derivatives, "derivatives")
  for i, e in ipairs(system.outputs) do add(first + i, "output", e.fn, ("output %q"):format(e.name), nil, e) end
  for i, event in ipairs(system.events) do
    local k = first + 1 + outputs + 5 * (i - 1)
    local what = ("event %q"):format(event.name)
    add(k, "witness", event.witness, "the witness of " .. what)
    add(k + 1, "when", event.when, "`when` of " .. what)
    add(k + 2, "next_time", event.next_time, "next_time of " .. what)
    add(k + 3, event.kind, event.handler, what, event)
    add(k + 4, "unrestricted_update", event.on_zeno, "on_zeno of " .. what, event)
  end
  local last = first + 1 + outputs + 5 * #system.events
  for i, kind in ipairs { "constraints", "constraint_rates", "project", "velocity_map" } do
    add(last + i - 1, kind, system[kind], kind)
  end
end

-- Binds a fresh engine object to the closures of its model. Answers a function
-- that tells what closure a number stands for. `sizes` tells of each part how many
-- constraints and constraint_rates it has.
function shim.bind(core, model, sizes)
  local maker = { core = core, model = model, sizes = sizes, closures = {}, made = {}, shims = {},
    programs = {} }
  local histories, any = {}, false
  for part, m in ipairs(model.parts) do
    add_part(maker, part)
    local history = m.system.pasts and #m.system.pasts > 0 and require("saltus.past").history(m.system) or nil
    histories[part], any = history or false, any or history ~= nil
  end
  if any then core:set_history(histories) end
  local function closure(k)
    local c = maker.made[k]
    if not c then
      c = new_closure(maker, table.unpack(maker.closures[k], 1, 7))
      maker.made[k] = c
    end
    return c
  end
  local function fit(k, what)
    if what == FIT_PROGRAM then return require("saltus.program").fit(core, closure(k), maker.programs) end
    local harvest = write(closure(k))
    local program = package.loaded["saltus.program"]
    if program then program.fit_known(core, closure(k), maker.programs) end
    return harvest
  end
  core:bind(fit, function(k, i, value)
    local c = closure(k)
    if i < 0 then refuse_write(c, source.lent_at(c, -i)) end
    error(("%s: %s"):format(names.defined(c.fn) or c.system.source, source.complaint(c, i, value)), 0)
  end)
  return closure
end

return shim
