-- Random calls of the Lua face, in random order, with right and wrong arguments, from outside and from closures of the
-- run. Whatever happens is a value or an error that is meant for users; a call that refuses its arguments leaves the
-- run as it is; and afterwards the run can still be saved, loaded, cloned and gone on with.
--
-- SEQUENCES=100000 SEED=7 for more, and others; a failure names the seed of its sequence, and SEQUENCES=1 SEED=that
-- repeats it. VERBOSE=1 prints its calls.
local saltus = require "saltus"
local topics = require "saltus.topics"
local random = require "spec.support.random"
local blocks = saltus.blocks

local stressed = os.getenv "SALTUS_GC" == "stress"
local sequences = tonumber(os.getenv "SEQUENCES") or stressed and 5 or os.getenv "STRESS" and 1500 or 300
local first_seed = tonumber(os.getenv "SEED") or 1
local verbose = os.getenv "VERBOSE"

-- ---- what an error may say ----

-- Never seen by users: Lua's own words for a slip in lua/saltus, or for an argument nobody looked at.
local internal = { "attempt to %a+", "stack traceback", "assertion failed", "lua/saltus/[%w_/]+%.lua:",
  "invalid value %(", "C stack overflow", "number has no integer", "out of range", "table index is", "saltus%.core" }

local function leaked(wrong)
  local text = wrong
  if type(wrong) == "table" then
    local mt = getmetatable(wrong)
    text = rawget(wrong, "message") or rawget(wrong, "planned") or mt and mt.__tostring and tostring(wrong)
  end
  if type(text) == "number" then return end -- `error` itself as a closure, called with a time
  if type(text) ~= "string" then return "an error that is " .. type(wrong) .. " without a message" end
  if text == "" then return "an empty error" end
  if text:find "^[^:]*api_spec%.lua:%d+: attempt to" then return nil end -- a slip of a closure of ours
  for _, pattern in ipairs(internal) do
    if text:find(pattern) then return text end
  end
end

-- ---- arguments ----

local long = ("x"):rep(300)

-- Whatever a user's slip may give.
local function anything(w)
  local r = w.random
  local kind = r:integer(1, 26)
  if kind == 1 then return nil end
  if kind <= 3 then return kind == 2 end
  if kind <= 12 then
    return r:pick { 0, 1, -1, 0.5, -0.0, 2, 3, 1e-300, -1e300, 1e300, math.huge, -math.huge, 0 / 0, 1 << 53,
      math.mininteger, math.maxinteger, 2 ^ 31, 1e9 }
  end
  if kind <= 16 then
    return r:pick { "", "x", "a.x", "a", "a.v[2]", "v[3]", "a.v[0]", "b.output", "a..x", ".", "a.x[1]", "time", "no",
      "tick", "a.tick", "a.ask", "b.ask", "\0", "\27[31m", long, "every", "a.mode", "1", "%d %s" }
  end
  if kind <= 20 then
    return r:pick { {}, { 1, 2 }, { 1, 2, 3 }, { "a.x" }, { x = 1 }, { [1.5] = 2 }, { every = 1 }, { {} },
      setmetatable({}, { __index = function() error("planned", 0) end }), { 0 / 0, 1 }, { max_step = "x" } }
  end
  return r:pick { math.type, function() end, coroutine.create(math.type), w.sim or 1, w.sim and w.sim.context or 1,
    w.logs[1] or 1, io.stdout, saltus.did_nothing, saltus.terminate "why", w.system or 1, error }
end

local function one_of(w, list) return w.random:chance(0.7) and w.random:pick(list) or anything(w) end

local values = { "a.x", "a.v", "a.v[2]", "a.n", "a.mode", "a.rate", "a.out", "a.data", "b.output", "a.u" }
local events = { "a.tick", "a.ask", "a.shout", "a.cross", "a.start", "a.due" }

local function path(w) return one_of(w, values) end
local function event(w) return one_of(w, events) end
local function number(w) return one_of(w, { 0, 0.1, 0.25, 1, 2, 1e-3, -1 }) end

-- Not so far that a run takes long: where a call may be given any number, the run has a limit of steps.
local function later(w)
  local now = w.sim.context.time
  return one_of(w, { now, now + 0.05, now + 0.3, now + 1, now - 0.5, now + 1e-9 })
end

local function some_file(w)
  return w.random:chance(0.8)
    and w.folder .. "/" .. w.random:pick { "a.csv", "b.svg", "c.html", "d.npz", "no/e.csv", "" }
    or w.random:pick { false, true, 7, {}, math.type }
end

-- ---- the calls ----

local calls = {} -- of a simulator, by name: what are its arguments?

function calls.initialize(w)
  return w.random:pick { nil, {}, { suppress_initialization_events = true }, { consistent = true }, { no = 1 },
    anything(w) }
end

calls.advance_to = later
function calls.advance_pending_events() end

function calls.advance_frame(w)
  return one_of(w, { 0, 0.1, 0.3, 1 }), one_of(w, { 1, 2, 5, nil })
end

function calls.steps(w) return later(w), one_of(w, { 0.1, 0.3, nil, nil, nil }) end

function calls.schedule(w) return later(w), event(w) end

calls.demand = event
calls.witness = event

function calls.set_integrator(w)
  return one_of(w, { "tsitouras5", "radau5", "auto", "runge_kutta3", "explicit_euler", "rodas4", "no" }),
    one_of(w, { nil, {}, { accuracy = 1e-4 }, { max_step = 0.1, fixed_step = true }, { max_step = 0.05 }, { no = 1 } })
end

function calls.configuration(w)
  return one_of(w, { nil, {}, { accuracy = 1e-3 }, { integrator = "runge_kutta3" }, { start_time = 1 }, { no = 1 },
    { max_step = -1 }, { target_realtime_rate = 0 } })
end

function calls.set_context_accuracy(w) return one_of(w, { 1e-3, false, 0.5 }) end

calls.state_at = later

function calls.load(w) return w.random:chance(0.7) and w.saved or anything(w) end

function calls.on_progress(w) return one_of(w, { print and function() end, function() error("planned", 0) end }) end

function calls.time_rhs(w) return w.random:pick { 1, 3, 0, -1, 0.5, false, "x", 0 / 0 } end -- no more: it does as told

function calls.recorder(w) return anything(w), number(w) end

for _, name in ipairs { "window", "sampled", "save", "hash", "clone", "interrupt", "programs" } do
  calls[name] = anything
end

local unlimited = { time_rhs = true, recorder = true } -- benches and what saltus.log is made of: no face for users

-- What the topics list is called, here or by a row that came later.
for _, row in ipairs(topics.deeds.simulator) do
  local name = row[1]:match "^[%w_]+"
  if not calls[name] then calls[name] = function(w) return anything(w), anything(w), anything(w) end end
end

local log_calls = {
  csv = some_file, jsonl = some_file, npz = some_file,
  plot = function(w)
    return w.random:chance(0.5) and some_file(w) or nil, one_of(w, { nil, {}, { { "a.x" }, { "a.n" } }, { x = "a.x" },
      { { "a.mode" }, title = "t" }, { width = 30 }, { no = 1 } })
  end,
  at = later, times = event, sample = anything, stop = anything, start = anything,
  clone = function(w) return w.random:chance(0.5) and w.sim:clone() or anything(w) end,
}

local settable = { "monitor", "target_realtime_rate", "publish_every_step", "publish_at_initialization" }

local function sorted(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local call_names, log_names = sorted(calls), sorted(log_calls)

-- Those that run the model: what they fail at may have moved the run.
local runs = { initialize = true, advance_to = true, advance_pending_events = true, advance_frame = true, steps = true,
  configuration = true, set_integrator = true, load = true, clone = true, sampled = true, state_at = true }

local function told(w, what, ...)
  if not verbose then return end
  local parts = {}
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    parts[i] = type(value) == "string" and ("%q"):format(value:sub(1, 40)) or tostring(value):sub(1, 60)
  end
  print(("%s%s(%s)"):format(("  "):rep(w.depth), what, table.concat(parts, ", ")))
end

local function consume(result)
  if type(result) ~= "function" then return result end
  for _ = 1, 4 do if result() == nil then break end end -- steps
end

local deeds = {} -- each answers what it did, and its function with arguments

function deeds.call(w)
  local name = w.random:pick(call_names)
  if unlimited[name] and w.random:chance(0.5) then name = "advance_to" end
  local args = table.pack(calls[name](w))
  return "sim:" .. name, runs[name], function()
    return consume(w.sim[name](w.sim, table.unpack(args, 1, args.n)))
  end, table.unpack(args, 1, args.n)
end

function deeds.advance(w)
  local t = w.sim.context.time + w.random:pick { 0.05, 0.2, 0.7 }
  return "sim:advance_to", true, function() w.sim:advance_to(t) end, t
end

function deeds.log(w)
  local log = w.random:pick(w.logs)
  if not log then return deeds.new_log(w) end
  local name = w.random:pick(log_names)
  local args = table.pack(log_calls[name](w))
  return "log:" .. name, false, function() return log[name](log, table.unpack(args, 1, args.n)) end,
    table.unpack(args, 1, args.n)
end

function deeds.new_log(w)
  local spec = one_of(w, { nil, {}, { every = 0.1 }, { "a.x" }, { "a.v", "a.mode", every = 0.05 }, { at = "demand" },
    { f = function(ctx) return ctx.a.x end }, { f = function() error("planned", 0) end },
    { "a.v[2]", most_rows = 16 } })
  return "saltus.log", true, function()
    if #w.logs < 4 then w.logs[#w.logs + 1] = saltus.log(w.sim, spec) end
  end, spec
end

function deeds.look_at_log(w)
  local log = w.random:pick(w.logs)
  local key = path(w)
  return "log[]", false, function()
    if not log then return end
    local column = log[key]
    for _, value in pairs { tostring(log), #log.time, tostring(column), column and column[1], column and #column } do
      tostring(value)
    end
    for name, list in pairs(log) do tostring(name .. #list) end
  end, key
end

function deeds.write(w)
  local key, value = path(w), one_of(w, { 0, 1, 0.5, "on", "off", { 1, 2 }, { 1, 2, 3 } })
  return "sim.context[]=", false, function() w.sim.context[key] = value end, key, value
end

function deeds.write_part(w)
  local key = one_of(w, { "x", "v", "n", "mode", "rate", "u", "data", "time" })
  local value = one_of(w, { 0, 2, "on", { 1, 2 } })
  return "sim.context.a[]=", false, function() w.sim.context.a[key] = value end, key, value
end

function deeds.read(w)
  local key = path(w)
  return "sim.context[]", false, function()
    tostring(w.sim.context[key])
    tostring(w.sim.context)
    for name, value in pairs(w.sim.context.a) do tostring(name .. tostring(value)) end
  end, key
end

function deeds.set(w)
  local key = w.random:pick(settable)
  local value = one_of(w, { false, true, 0, nil, function(ctx) w.meddle(ctx) end })
  if key == "target_realtime_rate" and type(value) == "number" and value > 0 and value < 1e3 then value = 1e9 end
  return "sim." .. key .. "=", false, function() w.sim[key] = value end, value
end

function deeds.field(w)
  local key = one_of(w, { "context", "status", "failure", "stats", "warnings", "integrator", "model", "system" })
  return "sim[]", false, function()
    local value = w.sim[key]
    local _ = tostring(value)
    if key == "stats" then value:reset() end
  end, key
end

local getters

function deeds.integrator(w)
  local i = w.sim.integrator
  if not getters then
    getters = {}
    for name in tostring(i):gmatch "([%w_]+) [^\n]*" do getters[#getters + 1] = "get_" .. name end
    for name in pairs(require("saltus.integrator").setters) do getters[#getters + 1] = name end
    for _, name in ipairs { "start_dense_output", "stop_dense_output", "get_dense_output", "reset_statistics", "reset",
      "initialize", "get_error_estimate", "get_state_weight_vector", "set_generalized_state_weight_vector",
      "set_misc_state_weight_vector", "is_initialized", "no" } do
      getters[#getters + 1] = name
    end
    table.sort(getters)
  end
  local name = w.random:pick(getters)
  local value = one_of(w, { 0.1, 1e-4, 0.01, true, false, { 1 }, { 1, 1, 1 } })
  return "sim.integrator:" .. name, false, function()
    local result = i[name](i, value)
    if type(result) == "userdata" or type(result) == "table" then local _ = tostring(result) end
  end, value
end

function deeds.witness(w)
  local value = number(w)
  return "witness", false, function()
    local witness = w.sim:witness "a.cross"
    witness:should_trigger(value, value)
    return witness:value(), tostring(witness)
  end, value
end

function deeds.with(w)
  local key, value, given = path(w), one_of(w, { 0.5, { 1, 2 }, "on" }), anything(w)
  if key ~= nil and key == key then given = { [key] = value } end
  return "system:with", false, function()
    return tostring(w.system:with(given))
  end, key, value
end

function deeds.block(w)
  local kind = w.random:pick(require("saltus.blocks").kinds()).name
  local given = {}
  for _, option in ipairs(require("saltus.blocks").kinds()[kind].options) do
    if w.random:chance(0.5) then given[option.name] = anything(w) end
  end
  for key, value in pairs(given) do -- no gigabytes for a size that may be had
    if math.type(value) and value > 1000 and value < math.huge then given[key] = 7 end
  end
  return "blocks." .. kind, false, function() return tostring(blocks[kind](given)) end
end

function deeds.build(w)
  local from, to, name = path(w), path(w), anything(w)
  return "diagram", false, function()
    local d = saltus.diagram "d"
    d:add(w.random:chance(0.5) and w.system or anything(w), name)
    d:connect(from, to)
    d:export_input(name, to)
    d:export_output(from, name)
    return tostring(d:build())
  end, from, to, name
end

function deeds.system(w)
  local field = w.random:pick { "q", "v", "z", "discrete", "params", "inputs", "outputs", "events", "past", "history",
    "name", "derivatives", "abstract", "constraints", "mass", "project", "velocity_map", "no" }
  local value = anything(w)
  if w.random:chance(0.4) then value = { one_of(w, { { "y", 1 }, { "y", size = 2 }, { "y", anything(w) } }) } end
  return "saltus.system", false, function()
    local def = { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end }
    def[field] = value
    return tostring(saltus.system(def))
  end, field, value
end

function deeds.event(w)
  local e = { name = one_of(w, { "e" }) }
  for _, field in ipairs(require("saltus.event").fields) do
    if w.random:chance(0.25) then e[field.name] = anything(w) end
  end
  if w.random:chance(0.7) then e.every = 0.1 end
  if w.random:chance(0.7) then e.publish = function() end end
  return "event", false, function()
    return tostring(saltus.system { name = "s", events = { e } })
  end
end

function deeds.option(w)
  local option = w.random:pick(saltus.options.simulator)
  local value = anything(w)
  return "option " .. option.name, true, function()
    return saltus.simulator(w.system, { [option.name] = value }), saltus.scenario { system = w.system,
      [option.name] = value }
  end, value
end

function deeds.scenario(w)
  local given = { duration = one_of(w, { 0.2, 0 }), log = one_of(w, { false, { every = 0.1 }, { "a.x" } }),
    max_steps_per_call = 50 }
  local changes = one_of(w, { nil, {}, { duration = 0.1 }, { set = { ["a.x"] = 2 } }, { set = { no = 1 } } })
  if given.duration == math.huge or type(given.duration) == "number" and given.duration > 10 then given.duration = 1 end
  return "scenario", true, function()
    return saltus.scenario { system = w.system, duration = given.duration, log = given.log,
      max_steps_per_call = 50 }:run(changes)
  end, given.duration, given.log, changes
end

function deeds.delay_buffer(w)
  local a, b, c, d = one_of(w, { 1, 2, 3 }), one_of(w, { 0.1, 1 }), anything(w), number(w)
  if math.type(a) and a > 100 then a = 1 end
  return "delay_buffer", false, function()
    local buffer = saltus.delay_buffer { size = a, delay = b }
    buffer:append(0, d)
    buffer:append(number(w), d, c)
    buffer:read(number(w), c)
    buffer:rate(number(w))
    buffer:set_delay(d)
    buffer:cut(d)
    buffer:load(w.random:chance(0.5) and buffer:save() or c)
    return buffer:hash(), buffer:clone()
  end, a, b, c, d
end

function deeds.stepper(w)
  local given = { n = 2, integrator = one_of(w, { "tsitouras5", "radau5" }), max_step = number(w) }
  local x, t = one_of(w, { { 1, 2 }, { 1 } }), one_of(w, { 0.5, 1 })
  return "saltus.integrator", false, function()
    local s = saltus.integrator { f = function(_, v, dx) dx[1], dx[2] = v[2], -v[1] end, x = x,
      integrator = given.integrator, max_step = given.max_step, max_steps_per_call = 50 }
    s:initialize()
    s:integrate_with_multiple_steps_to_time(t)
    s:integrate_no_further_than_time(t, t, t)
  end, x, t
end

local deed_names = sorted(deeds)
-- What makes the run go on weighs more.
for _ = 1, 6 do deed_names[#deed_names + 1] = "call" end
for _ = 1, 4 do deed_names[#deed_names + 1] = "advance" end

-- ---- the model ----

local function new_model(w)
  local r = w.random
  local function meddle(ctx) w.meddle(ctx) end
  local has_p = r:chance(0.5)
  local a = saltus.system { name = "a",
    q = has_p and { { "p", 0 } } or nil, v = { { "v", { 1, 0 } } }, z = { { "x", 1 } },
    discrete = { { "n", 0 }, { "alarm", 0.35 }, { "mode", "on", values = { "on", "off" } } },
    abstract = { data = { {} } }, params = { rate = 0.5 }, inputs = { { "u", 0.25 } },
    outputs = { out = function(ctx) return ctx.x * 2 end },
    past = r:chance(0.4) and { x = 0.3 } or nil,
    derivatives = function(ctx, dot)
      if w.wild then meddle(ctx) end
      if has_p then dot.p = 0 end
      dot.v = { ctx.v[2], -ctx.v[1] }
      dot.x = (ctx.mode == "on" and -ctx.rate or ctx.rate) + ctx.u
    end,
    events = {
      { name = "start", at = "initialization", discrete_update = function(ctx, next) meddle(ctx) next.n = 1 end },
      { name = "tick", every = 0.1, discrete_update = function(ctx, next) meddle(ctx) next.n = next.n + 1 end },
      { name = "due", next_time = "alarm", unrestricted_update = function(ctx, next)
        meddle(ctx)
        next.alarm = ctx.time + 0.21
        next.data = { ctx.time }
        next.mode = ctx.mode == "on" and "off" or "on"
      end },
      { name = "cross", witness = function(ctx) meddle(ctx) return ctx.v[1] end,
        publish = function(ctx)
          meddle(ctx)
          if r:chance(0.05) then return saltus.fail "planned" end
        end },
      { name = "ask", at = "demand", unrestricted_update = function(ctx, next) meddle(ctx) next.x = ctx.x + 1 end },
      { name = "shout", at = "demand", publish = function(ctx) meddle(ctx) end },
    },
  }
  if r:chance(0.4) then -- without what p brings
    a = a:with { rate = 0.25 }
  end
  local d = saltus.diagram "d"
  d:add(a, "a")
  d:add(r:pick { blocks.delay { delay = 0.2 }, blocks.gain { gain = 0.5 }, blocks.zero_order_hold { period = 0.25 },
    blocks.lag { time_constant = 0.5 } }, "b")
  d:connect("a.x", "b.input")
  if r:chance(0.5) then d:connect("b.output", "a.u") end
  return d
end

-- ---- a sequence ----

local problems

local function complain(w, what, wrong)
  local text = ("%s: %s"):format(what, tostring(wrong):sub(1, 400))
  local kind = text:gsub("%d+", ""):gsub("got [%a%.%* ]+", "")
  if problems[kind] then return end -- told
  problems[kind] = true
  problems[#problems + 1] = ("SEED=%d: %s"):format(w.seed, text)
end

local function judge(w, what, ok, wrong)
  if ok then return end
  local leak = leaked(wrong)
  if leak and not w.internal_error_of_user[wrong] then complain(w, what, leak) end
end

local function do_one(w)
  local pack = table.pack(deeds[w.random:pick(deed_names)](w))
  local what, moves, deed = pack[1], pack[2], pack[3] -- and its arguments
  told(w, what, table.unpack(pack, 4, pack.n))
  local before = not moves and w.depth == 0 and w.sim:hash()
  local ok, wrong = pcall(deed)
  if verbose and not ok then print("  ! " .. tostring(wrong):sub(1, 200)) end
  judge(w, what, ok, wrong)
  if not ok and before and w.sim:hash() ~= before then complain(w, what .. " failed and changed the run", wrong) end
end

local function new_world(seed, folder)
  local w = { seed = seed, random = random.new(seed), logs = {}, depth = 0, folder = folder,
    internal_error_of_user = {} }
  -- What closures do: mostly nothing, now and then a call of the run that they belong to, or an error of their own.
  function w.meddle()
    if w.depth > 2 or not w.random:chance(0.02) then return end
    if w.random:chance(0.2) then error(w.random:pick { "planned", { planned = "an object" } }, 0) end
    w.depth = w.depth + 1
    do_one(w)
    w.depth = w.depth - 1
  end
  w.wild = w.random:chance(0.2)
  w.system = new_model(w)
  w.sim = saltus.simulator(w.system, { max_steps_per_call = 100, seed = seed,
    integrator = w.random:pick { "tsitouras5", "radau5", "auto", "runge_kutta3" }, max_step = 0.2,
    fixed_step = w.random:chance(0.2) })
  w.saved = w.sim:save()
  return w
end

-- The run still does what a run does.
local function check_usable(w)
  w.meddle = function() end
  w.sim.monitor = nil
  w.sim.target_realtime_rate = 0
  local saved, hash = w.sim:save(), w.sim:hash()
  local other = w.sim:clone()
  assert(other:hash() == hash, "a clone differs")
  other:load(saved)
  assert(other:hash() == hash and w.sim:hash() == hash, "what was loaded differs")
  local ok, wrong = pcall(other.advance_to, other, other.context.time + 0.1)
  judge(w, "going on", ok, wrong)
  w.sim:load(saved)
  assert(w.sim:hash() == hash, "a run does not come back")
end

local function run_sequence(seed, folder)
  local w = new_world(seed, folder)
  for _ = 1, w.random:integer(5, 25) do do_one(w) end
  local ok, wrong = pcall(check_usable, w)
  if not ok then complain(w, "afterwards", wrong) end
end

describe("random calls", function()
  it("are met by values, or by errors meant for users, and leave a run that goes on", function()
    local folder = os.tmpname()
    os.remove(folder)
    os.execute("mkdir -p " .. folder)
    problems = {}
    for seed = first_seed, first_seed + sequences - 1 do
      local ok, wrong = pcall(run_sequence, seed, folder)
      if not ok then complain({ seed = seed }, "sequence", wrong) end
      if #problems >= 40 then break end
    end
    os.execute("rm -rf " .. folder)
    assert.equal("", table.concat(problems, "\n"))
  end)
end)
