-- What a random sequence does: each returns a name, whether it may move the run, and its function with arguments.
local saltus = require "saltus"
local arguments = require "spec.support.calls.arguments"
local faces = require "spec.support.calls.faces"
local sorted_keys = require "spec.support.sorted_keys"
local blocks = saltus.blocks

local anything, one_of, number = arguments.anything, arguments.one_of, arguments.number
local path = arguments.path

local call_names, log_names = sorted_keys(faces.simulator), sorted_keys(faces.log)

local function consume(result)
  if type(result) ~= "function" then return result end
  for _ = 1, 4 do if result() == nil then break end end -- steps
end

local deeds = {}

function deeds.call(w)
  local name = w.random:pick(call_names)
  if faces.unlimited[name] and w.random:chance(0.5) then name = "advance_to" end
  local args = table.pack(faces.simulator[name](w))
  return "sim:" .. name, faces.runs[name], function()
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
  local args = table.pack(faces.log[name](w))
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
  local key = w.random:pick(faces.settable)
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
    for name in pairs(require("saltus.simulation.integrator_api").setters) do getters[#getters + 1] = name end
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
  for _, field in ipairs(require("saltus.model.event").fields) do
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

local names = sorted_keys(deeds)
-- What makes the run go on weighs more.
for _ = 1, 6 do names[#names + 1] = "call" end
for _ = 1, 4 do names[#names + 1] = "advance" end

return { by_name = deeds, names = names }
