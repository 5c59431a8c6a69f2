-- The source text of an adapter; see adapter.lua, and source_writer.lua for its lines.
local Writer = require "saltus.closure.source_writer"
local outcome = require "saltus.simulation.outcome"
local names = require "saltus.util.names"

local codegen = {}

codegen.MAX_NAMES = 100 -- names that an adapter sets; others are fetched each time
codegen.is_port = Writer.is_port
local MAX_RESULTS = 200
local OWN_CHUNK = names.own_chunk "closure/adapter"

-- What the adapter returns for a closure that returns a number.
local returned = { output = "result", witness = "result", when = "truth",
  next_time = "result == nil and math.huge or result" }

-- The call of the closure. Declares the results of one that returns a value.
local function call_of(w)
  local kind, e, call = w.c.kind, w.c.entry, "local result = f(ctx)"
  if kind == "velocity_map" then return ("f(ctx, %s, target)"):format(w:upvalue(w.c.given)) end
  if not returned[kind] then return "f(ctx, target)" end
  if e and e.vector and not e.abstract then
    w:return_vector(e, "result")
    return call
  end
  w:result({ partition = "output" }, 1)
  w.returns[1] = e and e.abstract and ("%s(ctx, result)"):format(w:runtime "keep_abstract") or returned[kind]
  if kind == "when" then
    w:line(w.after, "local truth = result == true and 1 or result == false and 0 or %s(ctx, result)",
      w:runtime "no_boolean")
  end
  if kind ~= "witness" then return call end
  w:line(w.after, "if second ~= nil then %s(ctx, second) end", w:runtime "second")
  return "local result, second = f(ctx)"
end

local function numbered(letter, count)
  local list = {}
  for i = 1, count do list[i] = letter .. i end
  return table.concat(list, ", ")
end

-- The source of a function: the numbers are its parameters; it clears, sets, calls, checks and returns.
function codegen.text_of(w, call, clears, checks)
  if #w.returns > MAX_RESULTS then
    error(("%s has %d results; at most 200 are allowed, so put them into vectors"):format(w.c.label,
      #w.returns), 0)
  end
  local lines = { ("function(%s)"):format(numbered("p", w.params)) }
  for _, group in ipairs { clears or {}, w.before, { call }, checks or {}, w.after } do
    table.move(group, 1, #group, #lines + 1, lines)
  end
  lines[#lines + 1] = "return " .. table.concat(w.returns, ", ")
  lines[#lines + 1] = "end"
  return table.concat(lines, "\n")
end

-- Adapters with the same source share their code: a thousand equal clocks run the same instructions.
local chunks, kept_chunks, MAX_CHUNKS = {}, 0, 500

local function chunk_of(text)
  local chunk = chunks[text]
  if not chunk then
    if kept_chunks >= MAX_CHUNKS then chunks, kept_chunks = {}, 0 end
    chunk = assert(load(text, OWN_CHUNK, "t", { table = table, math = math, ipairs = ipairs }))
    chunks[text], kept_chunks = chunk, kept_chunks + 1
  end
  return chunk
end

-- Compiles functions from their sources, with shared upvalues.
function codegen.compile(w, ...)
  local heads = { "local f, ctx, target, event, outcome, u = ..." }
  if #w.values > 0 then
    heads[#heads + 1] = ("local %s = table.unpack(u, 1, %d)"):format(numbered("u", #w.values), #w.values)
  end
  local c, chunk = w.c, chunk_of(table.concat(heads, "\n") .. "\nreturn " .. table.concat({ ... }, ",\n"))
  return chunk(c.fn, c.ctx, c.target, c.event_table, outcome, w.values)
end

-- Sorts by the order of the context, so that neighbours are passed together.
local function before(a, b)
  if a.partition ~= b.partition then return a.partition < b.partition end
  return (a.offset or a.index or 0) < (b.offset or b.index or 0)
end

-- Begins the source of a closure's adapter with the entries that the closure reads.
function codegen.begin(c)
  local w = Writer.new(c)
  table.sort(c.reads, before)
  for _, e in ipairs(c.reads) do w:read(e) end
  return w
end

-- The adapter of a closure that is not a handler: { fast, clearing, checking, args, results }.
function codegen.write(c)
  local w = codegen.begin(c)
  local call = call_of(w)
  if c.kind == "constraints" or c.kind == "constraint_rates" then
    w:residual(c.writes[1])
  else
    for _, e in ipairs(c.kind == "project" and c.writes or {}) do w:offer_state(e, "target") end
    for _, e in ipairs(c.kind == "velocity_map" and c.system.v or {}) do
      w:offer_state(e, w:upvalue(c.given))
    end
    for _, e in ipairs(c.writes) do w:derivative(e) end
  end
  local fast, clearing, checking = codegen.compile(w, codegen.text_of(w, call), codegen.text_of(w, call, w.clears),
    codegen.text_of(w, call, w.clears, w.checks))
  return { fast = fast, clearing = clearing, checking = checking, args = w.args, results = w.results }
end

return codegen
