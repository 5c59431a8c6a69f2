-- The source of the adapter of a handler; see adapter_codegen.lua, and mode_values.lua for the modes that it writes.
local Writer = require "saltus.closure.source_writer"
local codegen = require "saltus.closure.adapter_codegen"
local mode_values = require "saltus.closure.mode_values"

local constants = require("saltus.core").constants
local number_of, special = constants.partition, constants.argument
local handler_codegen = {}

local function event_lines(w)
  local event = w.c.event
  local function field(code)
    w:argument(code, 0, 1)
    return w:param()
  end
  w:line(w.before, "event.count = %s", field(special.count))
  if event.trigger == "witness" or event.trigger == "change" then
    w:line(w.before, "local t0, t1 = %s, %s", field(special.t0), field(special.t1))
    w:line(w.before, "event.interval = t0 == t0 and { t0, t1 } or nil") -- NaN: an update, not a step
    w:line(w.before, "event.limit = %s", field(special.limit))
  end
end

local function call_of(w)
  w:line(w.after, "if result ~= nil or outcome.last_made then result = %s(ctx, result) end",
    w:runtime "handler_outcome")
  w.returns[1] = "result"
  return w.c.kind == "publish" and "local result = f(ctx, event)" or "local result = f(ctx, target, event)"
end

-- ---- next ----

local NEXT = constants.source.next -- the argument is the context that the update writes

local function offer_next(w, e)
  if e.partition == "abstract" or e.vector or w.params >= Writer.MAX_NUMBERS then
    w:line(w.before, "%s(ctx, %q)", w:runtime "forget", e.name)
    w.c.fetched[e] = true
    return
  end
  w:argument(number_of[e.partition], e.offset, 1, NEXT)
  w.c.present[e.name] = nil
  w:line(w.before, "target.%s = %s", e.name, w:value(e, w:param()))
end

-- `guard`: code that is true if the handler's writes count.
local function take_next(w, e, where, guard)
  if e.partition == "abstract" then
    local v = w:upvalue(rawget)
    w:line(where, "do local v = %s(target, %q) if v ~= nil and %s then %s(ctx, %s, v) end end", v, e.name, guard,
      w:runtime "put", w:upvalue(e))
    return
  end
  if e.vector then return w:return_vector(e, "target." .. e.name) end
  w:result(e, 1)
  if e.values then
    w.modes[e] = w.modes[e] or mode_values.numbers(e.values)
    w.returns[#w.returns + 1] = ("%s[target.%s]"):format(w:upvalue(w.modes[e]), e.name)
  else
    w.returns[#w.returns + 1] = "target." .. e.name
  end
end

-- ---- handlers ----

-- A function that returns the writes of the first call, in the order of the results.
local function write_collector(c)
  local w = Writer.new(c)
  for _, e in ipairs(c.writes) do take_next(w, e, w.after, "true") end
  return (codegen.compile(w, codegen.text_of(w, "", nil, w.checks)))
end

-- { checking, args, results, collect_writes }: each call is checked; collect_writes() returns the writes of the first
-- call.
function handler_codegen.write(c)
  local w = codegen.begin(c)
  event_lines(w)
  local call = call_of(w)
  for _, e in ipairs(c.target and c.writes or {}) do
    offer_next(w, e)
    take_next(w, e, w.after, "(result == nil or result == 1 or result == 2)")
  end
  return { checking = codegen.compile(w, codegen.text_of(w, call, nil, w.checks)), args = w.args, results = w.results,
    collect_writes = c.target and write_collector(c) }
end

return handler_codegen
