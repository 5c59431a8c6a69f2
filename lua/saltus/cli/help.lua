-- Pages of help: `saltus help TOPIC` and `make doc` write them, from the tables that check what users write. Methods
-- are described here; a spec compares them with those that exist.
--
-- A page: { name =, doc =, { title =, text =, example =, rows = { { "accuracy", "1e-06", "what it is" }, ... } }, ... }
local variable = require "saltus.model.variable"
local examples = require "saltus.cli.help.examples"
local names = require "saltus.util.names"
local integrator_options = require "saltus.simulation.integrator_options"
local options = require "saltus.simulation.options"

local help = {}

-- ---- rows from the tables ----

local function field_rows(list) return names.map(list, function(field) return { field.name, field.doc } end) end

local function option_rows(list)
  return names.map(list, function(o)
    return { o.name, integrator_options.default_text(o), integrator_options.meaning(o) }
  end)
end

local function entry_rows()
  local rows = {}
  for i, field in ipairs(variable.fields) do
    local of = {}
    for _, section in ipairs(variable.sections) do
      if names.index_of(section.fields, field.name) then of[#of + 1] = section.name end
    end
    rows[i] = { field.name, field.doc .. (field.everywhere and "" or " (" .. table.concat(of, ", ") .. ")") }
  end
  return rows
end

local function method_rows()
  local rows = {}
  for i, method in ipairs(require("saltus.core").methods()) do
    local words = { ("order %d"):format(method.order) }
    if method.name == "auto" then words = { "changes between explicit and implicit methods during a run" } end
    words[#words + 1] = method.error_control and "error control" or "fixed steps of max_step"
    if method.implicit then words[#words + 1] = "implicit, for stiff systems" end
    if method.mass then words[#words + 1] = "accepts a mass matrix" end
    if not method.past then words[#words + 1] = "accepts no past" end
    rows[i] = { method.name, table.concat(words, ", ") }
  end
  return rows
end

local function setter_rows()
  local setters, rows = require("saltus.simulation.integrator_api").setters, {}
  for _, name in ipairs(names.sorted_keys(setters)) do
    rows[#rows + 1] = { name .. "(value)", "sets the option " .. setters[name][1] }
  end
  return rows
end

-- ---- methods, fields and functions ----

local methods = {}
help.methods = methods

methods.simulator = {
  { "initialize(how)", "initializes the run; otherwise the first advance does; how: "
    .. "{ suppress_initialization_events = true, consistent = true }" },
  { "advance_to(t)", "advances to t; calls sim.monitor after each step; returns { reason, time, boundary_time, "
    .. "system, event, message }; raises an error on failure" },
  { "advance_pending_events()", "runs the updates that are due now, without advancing time" },
  { "advance_frame(dt, limits)", "advances by dt in fixed steps of max_step; limits: a number of steps, or { max_steps "
    .. "=, max_evaluations =, max_seconds = }; returns the leftover fraction of a step, the seconds left for the next "
    .. "frame, and the seconds that were dropped" },
  { "pacing()", "returns { steps, overruns, lag, worst_lag } of a run with target_realtime_rate: overruns counts the "
    .. "steps that ended later than the clock allows, lag is by how much" },
  { "interrupt()", "ends the current advance after its step, or the next advance before its first step; that status "
    .. "has the reason \"interrupted\", and the next call continues" },
  { "watch(condition)", "ends an advance where the condition becomes true, with the reason \"reached_watch\" and "
    .. "status.watches = { handles }; the condition: words, or a function(ctx) that returns a margin, which is "
    .. "negative while the condition is false; returns a handle, or nil and true if it is true already" },
  { "unwatch(handle)", "removes a watch; returns false when it has fired" },
  { "halt()", "ends the current advance after the updates of this instant, or the next advance; that status has the "
    .. "reason \"halted\", and the next call continues" },
  { "next_time()", "returns the time of the next timed or scheduled event; math.huge: none" },
  { "steps(stop, every)", "for t, ctx in sim:steps(5, 0.1) do: an iterator over the multiples of every, where ctx is "
    .. "read-only; without every: over all steps, where sim.context may be written" },
  { "schedule(t, path)", "runs an event with at = \"demand\" at t; returns a handle" },
  { "cancel(handle)", "cancels a scheduled event; returns false when it has run or was cancelled" },
  { "demand(path)", "requests an event with at = \"demand\" for the present time; it runs in the next advance" },
  { "feed(path, t1, value)", "moves an input that is not connected on a straight line from its current value to "
    .. "`value` at t1; then it is constant until it is fed again or set" },
  { "set_integrator(name, options)", "changes the integrator; the next advance initializes the run again, so the "
    .. "events at initialization and those due now run (again)" },
  { "configuration(given)", "returns integrator, step sizes, start time and realtime rate; with a table: sets them, "
    .. "and the next advance initializes the run again" },
  { "set_context_accuracy(accuracy)", "sets the accuracy that determines the isolation window" },
  { "witness(path)", "describes the witness of an event: description, direction, event, system, :value(), "
    .. ":should_trigger(w0, w1)" },
  { "window()", "returns the error bound of a located event, in seconds" },
  { "state_at(t)", "returns a read-only context at t, inside the last step" },
  { "sampled()", "returns the context after the periodic updates, without running them" },
  { "save()", "returns the whole run as a string" },
  { "load(saved)", "returns to the saved point" },
  { "hash()", "returns 16 hex digits of time, state and parameters" },
  { "difference(other)", "names the first number in which two runs differ, with both values; nil: they have the same "
    .. "hash" },
  { "clone()", "returns another simulator at the same point" },
  { "copy_from(other)", "takes over the run of another simulator of the same system, at its present point" },
  { "on_progress(fn)", "calls fn(time) after every 64th step" },
  { "programs()", "lists the closures that run without Lua, and the reasons why the others do not" },
  { "recorder(channels, every)", "records signals; saltus.log uses it" },
  { "time_rhs(n)", "measures n evaluations of the derivatives, in seconds" },
}

local fields = {
  { "context", "sim.context.plant.angle, sim.context[\"r[2]\"]: readable, and writable between calls (a vector that "
    .. "you read is a read-only copy); pairs iterates over it" },
  { "status", "the result of the last advance" },
  { "failure", "the last failure: { reason, error, traceback, event, system, time }" },
  { "stats", "numbers of steps, events and evaluations; :reset(); limited_by; methods: { method, time, why, steps } "
    .. "for each change of method by \"auto\"" },
  { "warnings", "a list of { time, kind, system, event, variable, message }: probable mistakes, each once" },
  { "integrator", "getters and setters: see saltus help integrator" },
  { "seed", "the option of this name" },
  { "monitor", "function(ctx), called after each step; may return saltus.terminate \"why\"" },
  { "target_realtime_rate", "simulated seconds per second; 0: as fast as possible" },
  { "actual_realtime_rate", "measured simulated seconds per second" },
  { "publish_every_step", "as the option of this name; may change between calls" },
  { "publish_at_initialization", "as the option of this name; may change between calls" },
}

help.fields = fields

methods.group = {
  { "add(values)", "adds a member with these values by path: { id, sim, context }" },
  { "remove(member)", "removes a member, given by itself or its id" },
  { "advance_to(t)", "advances all members, then delivers messages and updates links; returns the members that "
    .. "failed" },
  { "set_input(path, value)", "sets an input of all members, also of those that are added later" },
  { "feed(path, t1, value)", "moves an input of all members on a straight line to `value` at t1" },
  { "link(from, output, to, input)", "sets an input of `to` to an output or a state of `from`, at once and at the "
    .. "end of each frame; from = nil removes the link" },
  { "send(id, event, data)", "in a handler: demands an event of another member at the end of the frame" },
  { "self()", "in a handler: returns the id of the member that runs" },
  { "message()", "in the handler of a message: returns { from, time, data }" },
  { "ids()", "returns the ids of all members, in ascending order" },
  { "save()", "returns the whole group as a string" },
  { "load(saved)", "returns to the saved point" },
  { "hash()", "returns 16 hex digits: equal groups have equal hashes" },
}

methods.diagram = {
  { "add(system, name)", "adds a part; the name defaults to the system's; a diagram adds all its parts" },
  { "connect(from, to)", "connects \"plant.angle\" to \"pid.measured\"; a part with a single port needs no port name" },
  { "export_input(name, to)", "makes the part's input `to` the diagram's input `name`" },
  { "export_output(from, name)", "makes the part's output or state `from` the diagram's output `name`" },
  { "build()", "builds the model, as a simulator does; raises an error for algebraic loops" },
  { "with(values)", "returns the same with other defaults: loop:with { [\"plant.mass\"] = 2 }" },
  { "sampling()", "returns the common period and offset of all periodic discrete updates, if there is one" },
}

methods.log = {
  { "csv(path)", "writes a table" },
  { "jsonl(path)", "writes JSON Lines; the first line is the run card" },
  { "npz(path)", "writes arrays for NumPy" },
  { "plot(path, options)", "writes .html or .svg; without a path returns text; { { \"a\" }, { \"b\" } }: panels" },
  { "at(t)", "returns the values at t, by name; between steps with the accuracy of the steps" },
  { "times(event)", "returns the times of an event" },
  { "sample()", "adds a row with the current values" },
  { "stop()", "stops logging until start()" },
  { "start()", "continues logging" },
  { "clone(sim)", "returns the same log for a clone" },
}

methods.scenario = {
  { "run(changes)", "runs it; returns { status, context, log, stats, sim }" },
  { "prepare(changes)", "prepares it without running: returns { sim, log, start, stop }" },
}

local closures = {
  { "derivatives", "(ctx, dot): dot.x of every q, v and z" },
  { "outputs, witness, becomes, when, next_time", "(ctx): nothing; they return a value" },
  { "publish", "(ctx, event): nothing in the run" },
  { "discrete_update", "(ctx, next, event): next.x of discrete" },
  { "unrestricted_update, on_zeno", "(ctx, next, event): next.x of states, abstract and params" },
}

local event_things = {
  { "event.name, event.count", "its name; the number k of a periodic event, at offset + k every" },
  { "event.interval, event.before", "for a witness: { t0, t1 } around the crossing, and the context at t0" },
  { "next.random()", "uniform in (0, 1); also :integer(a, b), :normal(mean, sd), :exponential(mean)" },
}

local order_of_instant = {
  { "at the start", "blocks read their inputs, those upstream first; unrestricted and discrete updates with at = "
    .. "\"initialization\"; calls of next_time; then publishes and the monitor" },
  { "arrival at t", "the step ends; publishes, then the monitor, read the state before the updates; advance_to(t) "
    .. "returns here, and the updates that are due at t wait for the next call (and are saved)" },
  { "updates at t", "unrestricted updates, projection, discrete updates, which read the results of the former; "
    .. "blocks follow inputs that jumped, those upstream first; then rounds" },
  { "a round", "events whose `becomes` turned true by the updates or the round before: publishes, unrestricted and "
    .. "discrete updates, all of which read the state after those; repeated until nothing turns true, at most "
    .. "max_events_per_instant times. A round is no step: nothing with at = \"step\", no monitor" },
  { "demanded, scheduled", "publishes that sim:demand requests at t run after the updates; those scheduled for t run "
    .. "before them, at the arrival" },
}

local outcomes = {
  { "nothing", "success" },
  { "saltus.did_nothing", "discards what this handler wrote" },
  { "saltus.terminate(why)", "the run ends here, without an error" },
  { "saltus.fail(why)", "the run fails; all updates of the instant are rolled back" },
}

-- ---- the pages ----

local pages = {}

function pages.simulator()
  return "runs a system", { title = "Options of saltus.simulator(system, { ... }) and of a scenario, with their "
    .. "defaults:", rows = option_rows(options.simulator) },
    { title = "Methods, as sim:advance_to(5):", rows = methods.simulator },
    { title = "Fields, as sim.context:", rows = fields }
end

function pages.system()
  return "a model: states, parameters, ports, derivatives and events",
    { title = "Fields of saltus.system { ... }:", rows = field_rows(require("saltus.model.system").fields) },
    { title = "An entry is \"name\", { \"name\", default, unit = \"m\" } or name = default; its fields:",
      rows = entry_rows() },
    { title = "Functions, their arguments, and what they may write:", rows = closures },
    { text = "system:with { gravity = 1.62, [\"r[2]\"] = 0 } returns the same system with other defaults." },
    { example = examples.system }
end

function pages.events()
  return "triggers, handlers and outcomes, and their order",
    { title = "Fields of an event; one trigger, at most one handler:",
      rows = field_rows(require("saltus.model.event").fields) },
    { title = "The order at one instant:", rows = order_of_instant },
    { title = "Arguments of a handler:", rows = event_things }, { title = "Its result:", rows = outcomes },
    { text = "At one instant publishes run first and read the state before it. Then unrestricted updates run, then "
      .. "discrete ones, which read the results of the former. All handlers of one kind read the same ctx; where two "
      .. "write one name, the last one wins. A witness without a handler ends the step where it crosses 0. A witness "
      .. "that its handler leaves at 0 does not fire again from there: change a mode, as for a ball that rests." },
    { text = "A witness fires where flow takes it across 0, not where an update moves it; `becomes` fires for both. "
      .. "Its `when` counts where the witness crosses. A `when` that runs in Lua is also called at the ends of steps; "
      .. "the witness is not read while it is false at both." },
    { text = "In a `becomes` that only computes numbers, each comparison is located by itself. A NaN is ignored, and "
      .. "== or ~= between numbers that flow is an error. A `becomes` that runs in Lua needs witness: functions that "
      .. "cross 0 where it may change. Without them it is called at the ends of steps, with a warning. A condition "
      .. "that is true at the start has not turned true, unless at_start is true." },
    { example = examples.events }
end

function pages.diagram()
  return "systems connected by ports", { title = "Methods, as d:add(system) after local d = saltus.diagram \"loop\":",
    rows = methods.diagram },
    { text = "States and outputs are the sources of connections. A path is part.port, or part.part.name from outside; "
      .. "the diagram's own name is never in it. print(d) prints its tree; `saltus graph FILE` draws it." },
    { example = examples.diagram }
end

function pages.integrator()
  return "the methods that integrate continuous state",
    { title = "The option integrator is a " .. options.simulator[1].doc .. ".", rows = method_rows() },
    { title = "Options of sim:set_integrator(name, { ... }); `saltus help simulator` has their defaults:",
      rows = field_rows(integrator_options.set_integrator) },
    { title = "Methods, as sim.integrator:set_target_accuracy(1e-3):", rows = setter_rows() },
    { text = "print(sim.integrator) lists its getters. saltus.integrator { f =, x = } is an integrator without a "
      .. "simulator." }
end

function pages.log()
  return "records a run: rows, events, files, plots",
    { title = "saltus.log(sim, { \"height\", power = function(ctx) ... end, every = 0.01 }); without names: every "
      .. "state and output", rows = field_rows(require("saltus.output.log").options) },
    { title = "Methods, as log:csv \"run.csv\":", rows = methods.log },
    { title = "Options of log:plot(path, { ... }):", rows = field_rows(require("saltus.output.plot").options) },
    { text = "log.time, log.height, log[\"r[2]\"] are columns; log.r[row] is a vector; log.events lists { time, name } "
      .. "of all events." }, { example = examples.log }
end

function pages.scenario()
  local scenario = require "saltus.simulation.scenario"
  return "a file that the command runs", { title = "Fields of saltus.scenario { ... }, and all options of a simulator:",
    rows = field_rows(scenario.fields) },
    { title = "Methods, as scenario:run { duration = 3 }:", rows = methods.scenario },
    { title = "Changes, and all options of a simulator:", rows = field_rows(scenario.run_fields) },
    { text = "A file that ends with `return saltus.scenario { ... }` runs by `saltus run FILE` and `lua5.4 FILE`." }
end

function pages.pen()
  local pen = require "saltus.output.animation.pen"
  return "draws a page that moves, for saltus run --animate",
    { title = "Methods of the pen in draw = function(ctx, pen), in world units, as pen:circle(0, ctx.height, 0.1):",
      rows = pen.methods },
    { title = "Fields of a style, { colour = 2, width = 3 }:",
      rows = field_rows(require("saltus.output.animation.style").options) },
    { text = "A scenario and each of its systems may have a draw. That of a system reads the context of its part. "
      .. "Systems draw in the order of the diagram, then the scenario. `view` of the scenario is the rectangle that is "
      .. "shown. A page plays 60 frames a second and interpolates between frames; a jump shows both of its sides." },
    { example = examples.pen }
end

function pages.group()
  return "simulators that share a clock, for entities that come and go",
    { title = "Methods, as group:advance_to(1 / 60):", rows = methods.group },
    { text = "saltus.group(system, { seed = 1 }) takes the options of saltus.simulator, and start_time. Members make "
      .. "their own steps. They meet at the end of each frame: messages are delivered in the order of their times, "
      .. "then of their senders; then links are carried. The fields members, count and time are to be read." }
end

function pages.stories() return require("saltus.story.description").page() end

function pages.sweep() return require("saltus.cli.sweep_help").page(field_rows) end
function pages.formula() return require("saltus.formula.help_page").page() end

function pages.math() return require("saltus.cli.help.math").page() end

function pages.sandbox()
  return "runs scripts that are not trusted", { title = "Options of saltus.sandbox { ... }:", rows = {
    { "memory", "bytes that scripts may have; default 64 MB" },
    { "budget", "instructions that scripts may run; default 1e8; 0: no limit" },
    { "seconds", "processor time that they may take; default 10; 0: no limit" },
    { "print", "function(text): a script prints a line; without it, nothing is printed" } } },
    { title = "Methods, as box:run(text) after local box = saltus.sandbox {}:", rows = {
      { "run(text, name, budget)", "runs a script under a new budget, if one is given; returns true and its result, or "
        .. "false and a message" },
      { "left()", "what is left of the budget, and the bytes in use" }, { "close()", "frees the sandbox" } } },
    { text = "A script cannot reach files or other scripts. docs/sandbox.md lists what it can use." }
end

function pages.forall() return require("saltus.property.help_page").of(field_rows) end

function pages.assertions()
  local rows = names.map(require "saltus.testing.assertions", function(one)
    return { ("%s(%s)"):format(one.name, one.arguments), one.doc }
  end)
  return "what specs assert about runs, after require \"saltus.busted\"",
    { title = "Assertions for busted, as assert.event_at(run, \"touch\", 1.427, 1e-3):", rows = rows },
    { text = "A run is a log, the result of a run, or a scenario, which then runs. assert.is_not.same_run(...) and "
      .. "assert.has_no.event_at(...) negate. `saltus test` runs specs." }
end

local order = { "system", "events", "diagram", "simulator", "integrator", "log", "scenario", "stories", "formula",
  "math", "pen", "sweep", "forall", "sandbox", "assertions" }

-- The page of a topic, by its name with or without a final s; nil if there is none.
function help.page(word)
  local name = pages[word] and word or pages[word .. "s"] and word .. "s" or word:gsub("s$", "")
  if not pages[name] then return nil end
  local page = { select(2, pages[name]()) }
  page.name, page.doc = name, (pages[name]())
  return page
end

function help.names() return order end

help.text = require("saltus.cli.help_text").of

-- One line for each topic.
function help.list()
  return table.concat(names.map(order, function(name) return ("   %-21s %s"):format(name, (pages[name]())) end), "\n")
end

return help
