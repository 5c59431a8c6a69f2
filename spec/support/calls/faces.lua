-- The calls of a simulator and of a log, by name, each with arguments for it.
local help = require "saltus.cli.help"
local arguments = require "spec.support.calls.arguments"

local anything, one_of, number = arguments.anything, arguments.one_of, arguments.number
local event, later, some_file = arguments.event, arguments.later, arguments.some_file

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

-- Conditions that time makes true, that are true, that never are, and functions that fail or are no conditions.
function calls.watch(w)
  local soon = w.sim.context.time + w.random:pick { 0.05, 0.2, 1 }
  return one_of(w, { function(ctx) return ctx.time - soon end, function(ctx) return ctx.time - soon end,
    function() return -1 end, function() return 1 end, function() return 0 / 0 end, function() return "x" end,
    function() error("planned", 0) end, anything(w) })
end

function calls.unwatch(w) return one_of(w, { 1, 2, 3, number(w) }) end

for _, name in ipairs { "window", "sampled", "save", "hash", "clone", "interrupt", "programs", "halt", "next_time" } do
  calls[name] = anything
end

function calls.copy_from(w) return w.random:chance(0.5) and w.sim:clone() or anything(w) end

-- Benches and what saltus.log is made of: no face for users.
local unlimited = { time_rhs = true, recorder = true }

-- What the topics list is called, here or by a row that came later.
for _, row in ipairs(help.methods.simulator) do
  local name = row[1]:match "^[%w_]+"
  if not calls[name] then calls[name] = function(w) return anything(w), anything(w), anything(w) end end
end

local log = {
  csv = some_file, jsonl = some_file, npz = some_file,
  plot = function(w)
    return w.random:chance(0.5) and some_file(w) or nil, one_of(w, { nil, {}, { { "a.x" }, { "a.n" } }, { x = "a.x" },
      { { "a.mode" }, title = "t" }, { width = 30 }, { no = 1 } })
  end,
  at = later, times = event, sample = anything, stop = anything, start = anything,
  clone = function(w) return w.random:chance(0.5) and w.sim:clone() or anything(w) end,
}

local settable = { "monitor", "target_realtime_rate", "publish_every_step", "publish_at_initialization" }

-- Those that run the model: what they fail at may have moved the run.
local runs = { initialize = true, advance_to = true, advance_pending_events = true, advance_frame = true, steps = true,
  configuration = true, set_integrator = true, load = true, clone = true, copy_from = true, sampled = true,
  state_at = true }

return { simulator = calls, log = log, settable = settable, runs = runs, unlimited = unlimited }
