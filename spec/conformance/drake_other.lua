-- The recorded cases with plain fields of their own: configurations by scheme, sampled blocks, forced publishes.
local expression = require "conformance.expression"
local reference = require "conformance.reference"
local replay = require "conformance.drake_replay"
local sorted_keys = require "support.sorted_keys"

local drake_other = {}

local function far(what, expected, got, tolerance)
  if type(got) ~= "number" or math.abs(got - expected) > (tolerance or 0) * math.max(1, math.abs(expected)) then
    return ("%s: expected %.17g, got %s"):format(what, expected, tostring(got))
  end
end

local function has_option(saltus, name)
  for _, option in ipairs(saltus.options and saltus.options.simulator or {}) do
    if option.name == name then return true end
  end
end

-- The reference's run of a model, as a recorded case would be replayed.
local function predict(model, settings, stop)
  return reference.run { model = model, settings = settings, run = { { op = "advance_to", t = stop } } }
end

-- Forced publishes

-- x' = 1 with publishes at initialization, per step, periodic, and on demand. What the title says of the two switches
-- shows in the log itself: a forced publish at the start, and at later steps.
local function switches_of(log)
  local at_start, later = false, false
  for _, entry in ipairs(log) do
    if entry.event == "forced" then
      if entry.t == log[1].t then at_start = true else later = true end
    end
  end
  return at_start, later
end

-- What the reference says of the same model, with the forced publish last at each point that has one.
local function expected_publishes(case, at_start, later)
  local predicted = predict({ subsystems = { { name = "publishing", xc = { init = { 0 }, ode = { "1" } }, events = {
    { id = "init", trigger = "init", kind = "publish" },
    { id = "step", trigger = "per_step", kind = "publish" },
    { id = "periodic", trigger = "periodic", kind = "publish", period = case.period, offset = 0 },
  } } } }, { integrator = { scheme = "explicit_euler", max_step_size = case.step } }, case.advance_to)
  local rulings = sorted_keys(predicted.applied)
  if not rulings[1] then return case.log, case.counters, rulings end
  local op, log, forced = predicted.ops[1], {}, 0
  for i, entry in ipairs(op.log) do
    local next_one = op.log[i + 1]
    log[#log + 1] = { t = entry.t, event = entry.event }
    local closes = not next_one or next_one.t ~= entry.t
    if closes and (entry.t == op.log[1].t and at_start or entry.t ~= op.log[1].t and later) then
      log[#log + 1], forced = { t = entry.t, event = "forced" }, forced + 1
    end
  end
  local counters = op.after.counters
  return log, { steps = counters.steps, publishes = counters.publishes + forced }, rulings
end

local function forced(saltus, case)
  if not (has_option(saltus, "publish_every_step") and has_option(saltus, "publish_at_initialization")) then
    return nil, "the switches that force publishes are not in the engine yet"
  end
  local at_start, later = switches_of(case.log)
  local log = {}
  local function note(name)
    return function(ctx) log[#log + 1] = { t = ctx.time, event = name } end
  end
  local sim = saltus.simulator(saltus.system {
    name = "publishing",
    z = { { "x", 0 } },
    derivatives = function(_, dot) dot.x = 1 end,
    events = {
      { name = "init", at = "initialization", publish = note "init" },
      { name = "step", at = "step", publish = note "step" },
      { name = "periodic", every = case.period, publish = note "periodic" },
      { name = "forced", at = "demand", publish = note "forced" },
    },
  }, { integrator = "explicit_euler", max_step = case.step, publish_every_step = later,
    publish_at_initialization = at_start, context_accuracy = false })
  sim:advance_to(case.advance_to + 0.0)
  local expected, counters, applied = expected_publishes(case, at_start, later)
  for i = 1, math.max(#log, #expected) do
    local want, have = expected[i], log[i]
    if not want or not have or want.event ~= have.event or far("time", want.t, have.t, applied[1] and 1e-9) then
      return ("log %d: expected %s at %s, got %s at %s"):format(i, want and want.event, want and want.t,
        have and have.event, have and have.t)
    end
  end
  return far("steps", counters.steps, sim.stats.steps) or far("publishes", counters.publishes, sim.stats.publishes),
    nil, { applied = applied }
end

-- Sampled blocks

local makers = {
  zero_order_hold = function(blocks, p) return blocks.zero_order_hold { period = p.period, offset = p.offset } end,
  discrete_time_delay = function(blocks, p)
    return blocks.discrete_time_delay { period = p.period, delay_steps = p.delay_steps }
  end,
  discrete_time_integrator = function(blocks, p) return blocks.discrete_time_integrator { period = p.period } end,
}

-- Their laws, for the reference: discrete state from zeros, and what a sample makes of it.
local laws = {
  zero_order_hold = function() return { 0 }, { xd1 = "u1" } end,
  discrete_time_delay = function(p)
    local zeros, update = { 0 }, {}
    for i = 1, p.delay_steps do zeros[i + 1], update["xd" .. i] = 0, "xd" .. i + 1 end
    update["xd" .. #zeros] = "u1"
    return zeros, update
  end,
  discrete_time_integrator = function(p) return { 0 }, { xd1 = ("xd1 + %.17g * u1"):format(p.period) } end,
}

local function expected_samples(case)
  local p = case.parameters
  local xd, update = laws[case.name](p)
  local predicted = predict({ subsystems = {
    { name = "source", y = { case.input } },
    { name = "block", nu = 1, xd = xd, y = { "xd1" }, events = { { id = "take", trigger = "periodic",
      kind = "discrete", period = p.period, offset = p.offset or 0, update = update } } },
    { name = "look", nu = 1, events = {
      { id = "sample", trigger = "periodic", kind = "publish", period = p.period, offset = 0 },
      { id = "step", trigger = "per_step", kind = "publish" } } },
  }, connections = { { from = "source", to = "block" }, { from = "block", to = "look" } } }, {}, case.advance_to)
  local rulings = sorted_keys(predicted.applied)
  if not rulings[1] then return case.samples, case.steps, case.counters, rulings end
  local lists = { sample = {}, step = {}, take = {} }
  for _, entry in ipairs(predicted.ops[1].log) do
    table.insert(lists[entry.event], { t = entry.t, y = entry.u[1] })
  end
  return lists.sample, lists.step, predicted.ops[1].after.counters, rulings
end

local function differ(name, expected, got)
  for i, want in ipairs(expected) do
    local have = got[i] or {}
    local wrong = far(("time of %s %d"):format(name, i), want.t, have.t, 1e-15)
      or far(("value of %s %d"):format(name, i), want.y, have.y, 1e-14)
    if wrong then return wrong end
  end
  return far(name .. "s", #expected, #got)
end

-- The block fed by `input`, looked at by a publish of its period and by one at every step.
local function sampled(saltus, case)
  local fine, blocks = pcall(function() return saltus.blocks end)
  if not makers[case.name] or not fine or not pcall(function() assert(blocks[case.name]) end) then
    return nil, "the block " .. case.name .. " is not in the engine yet"
  end
  local input = expression.compile(case.input, function(name) return name == "t" and "e.time" or "e." .. name end)
  local diagram = saltus.diagram "sampled"
  diagram:add(saltus.system { name = "source", outputs = { { "y", input } } }, "source")
  diagram:add(makers[case.name](blocks, case.parameters), "block")
  local samples, steps = {}, {}
  local function note(list) return function(ctx) list[#list + 1] = { t = ctx.time, y = ctx.u } end end
  diagram:add(saltus.system { name = "look", inputs = { { "u", 0 } }, events = {
    { name = "sample", every = case.parameters.period, publish = note(samples) },
    { name = "step", at = "step", publish = note(steps) },
  } }, "look")
  diagram:connect("source.y", "block.input")
  diagram:connect("block.output", "look.u")
  local sim = saltus.simulator(diagram, { integrator = "drake", error_weights = "absolute" })
  sim:advance_to(case.advance_to + 0.0)
  local want_samples, want_steps, counters, applied = expected_samples(case)
  local wrong = differ("sample", want_samples, samples) or differ("step", want_steps, steps)
    or far("steps", counters.steps, sim.stats.steps)
    or far("discrete updates", counters.discrete_updates, sim.stats.discrete_updates)
  return wrong, nil, { applied = applied }
end

-- Configuration per scheme

local names = { integration_scheme = "integrator", max_step_size = "max_step", accuracy = "accuracy",
  use_error_control = "error_control", start_time = "start_time", target_realtime_rate = "target_realtime_rate" }

local function configured(saltus, case)
  local applied, wanted = case.applied, case.extracted_after_initialize
  local system = saltus.system { name = "plain", z = { { "x", 0 } }, derivatives = function(_, dot) dot.x = 0 end }
  local options = { integrator = applied.integration_scheme, max_step = applied.max_step_size,
    start_time = applied.start_time, target_realtime_rate = applied.target_realtime_rate, error_weights = "absolute",
    context_accuracy = false, accuracy = replay.default_accuracy[applied.integration_scheme] and applied.accuracy,
    fixed_step = not applied.use_error_control or nil }
  local fine, sim = pcall(saltus.simulator, system, options)
  if not fine and tostring(sim):find(applied.integration_scheme, 1, true) then
    return nil, "the integrator " .. applied.integration_scheme .. " is not in the engine yet"
  elseif not fine then
    return tostring(sim)
  elseif not pcall(function() assert(sim.configuration) end) then
    return nil, "sim:configuration() is not in the engine yet"
  end
  sim:initialize()
  local got = sim:configuration()
  for key, want in pairs(wanted) do
    local have = got[key]
    if have == nil then have = got[names[key]] end
    if key == "use_error_control" and have == nil then have = not got.fixed_step end
    local free = key == "accuracy" and not wanted.use_error_control
    if have ~= want and not free then
      return ("%s: expected %s, got %s"):format(key, tostring(want), tostring(have))
    end
  end
  local in_use = wanted.use_error_control and wanted.accuracy
  return in_use and far("accuracy in use", in_use, sim.integrator:get_accuracy_in_use()) or nil
end

-- Answers what is wrong, or nil and why the case must wait.
function drake_other.judge(saltus, case)
  if case.log and case.step then return forced(saltus, case) end
  if case.samples and case.input then return sampled(saltus, case) end
  if case.applied then return configured(saltus, case) end
  return nil, "the runner knows no such case"
end

return drake_other
