-- Pages of help: `saltus help TOPIC` and `make doc` write them, from the tables that check what users write. What can
-- be called is told here; the spec holds it to what there is.
--
-- A page: { name =, doc =, { title =, text =, example =, rows = { { "accuracy", "1e-06", "what it is" }, ... } }, ... }
local variable = require "saltus.model.variable"
local examples = require "saltus.cli.help_examples"
local names = require "saltus.util.identifiers"
local options = require "saltus.simulation.options"

local help = {}

-- ---- rows out of the tables ----

local function field_rows(list)
  local rows = {}
  for i, field in ipairs(list) do rows[i] = { field.name, field.doc } end
  return rows
end

local function option_rows(list)
  local rows = {}
  for i, option in ipairs(list) do rows[i] = { option.name, options.default_text(option), options.meaning(option) } end
  return rows
end

local function entry_rows()
  local rows = {}
  for i, field in ipairs(variable.fields) do
    local of = {}
    for _, section in ipairs(variable.sections) do
      for _, name in ipairs(section.fields) do if name == field.name then of[#of + 1] = section.name end end
    end
    rows[i] = { field.name, field.doc .. (field.everywhere and "" or " (" .. table.concat(of, ", ") .. ")") }
  end
  return rows
end

local function method_rows()
  local rows = {}
  for i, method in ipairs(require("saltus.core").methods()) do
    local words = { ("order %d"):format(method.order) }
    if method.name == "auto" then words = { "changes between explicit and implicit ones as it goes" } end
    words[#words + 1] = method.error_control and "steps by its error estimate" or "fixed steps of max_step"
    if method.implicit then words[#words + 1] = "implicit: for stiff systems" end
    if method.mass then words[#words + 1] = "takes a mass matrix" end
    if not method.past then words[#words + 1] = "no past" end
    rows[i] = { method.name, table.concat(words, ", ") }
  end
  return rows
end

local function setter_rows()
  local setters, rows = require("saltus.simulation.integrator_api").setters, {}
  for _, name in ipairs(names.sorted_keys(setters)) do
    rows[#rows + 1] = { name .. "(value)", "as the option " .. setters[name][3] }
  end
  return rows
end

-- ---- what can be called ----

local deeds = {}
help.deeds = deeds

deeds.simulator = {
  { "initialize(how)", "the first advance does it, if you do not; { suppress_initialization_events = true, "
    .. "consistent = true }" },
  { "advance_to(t)", "answers { reason, time, boundary_time, system, event, message }; raises when it fails" },
  { "advance_pending_events()", "the updates that are due now, without going on" },
  { "advance_frame(dt, max_steps)", "dt more in steps of max_step; answers the share of a step left" },
  { "interrupt()", "ends the advance that is under way after the step that it is in, else the next one before its "
    .. "first; its status.reason is \"interrupted\", and the next call goes on" },
  { "steps(stop, every)", "for t, ctx in sim:steps(5, 0.1) do, to look at; without every: after each step, where "
    .. "sim.context may be written too" },
  { "schedule(t, path)", "an event with at = \"demand\" at t; returns a handle" },
  { "cancel(handle)", "takes back what was scheduled; false: it has run, or was cancelled" },
  { "demand(path)", "the same at once" },
  { "feed(path, t1, value)", "an input that is not connected goes on a straight line from its value now to `value` at "
    .. "t1, and stays there until it is fed again or set" },
  { "set_integrator(name, options)", "another one, from here on: the next advance initializes the run anew" },
  { "configuration(given)", "integrator, step sizes, start and pace; with a table: sets them" },
  { "set_context_accuracy(accuracy)", "that the isolation window follows" },
  { "witness(path)", "of an event: description, direction, event, system, :value(), :should_trigger(w0, w1)" },
  { "window()", "seconds to which an isolated event is known" },
  { "state_at(t)", "a read-only context inside of the last step" },
  { "sampled()", "the context that periodic updates would make of this one" },
  { "save()", "the whole run as a string" },
  { "load(saved)", "back to there" },
  { "hash()", "16 hex digits of time, state and parameters" },
  { "clone()", "another simulator at the same point" },
  { "on_progress(fn)", "fn(time) now and then" },
  { "programs()", "which closures run without Lua, and why the others do not" },
  { "recorder(channels, every)", "what saltus.log is made of" },
  { "time_rhs(n)", "seconds that n evaluations of the derivatives take" },
}

local things = {
  { "context", "sim.context.plant.angle, sim.context[\"r[2]\"]: read, and between calls written (a vector that is read "
    .. "is a copy that cannot be written); pairs goes over it" },
  { "status", "what the last advance answered" },
  { "failure", "after an error: { reason, error, traceback, event, system, time }" },
  { "stats", "steps, events and evaluations so far; :reset(); limited_by, and methods: { method, time, why, steps } "
    .. "each time that \"auto\" went over to another" },
  { "warnings", "a list of { time, kind, system, event, variable, message }: what is probably not meant; each is "
    .. "given once" },
  { "integrator", "its getters and setters: saltus help integrator" },
  { "monitor", "function(ctx), called after each step; may answer saltus.terminate \"why\"" },
  { "target_realtime_rate", "simulated seconds per second; 0: as fast as it goes" },
  { "actual_realtime_rate", "what came of it" },
  { "publish_every_step", "as the option; may be changed between calls" },
  { "publish_at_initialization", "likewise" },
}

deeds.diagram = {
  { "add(system, name)", "a part; the name defaults to the system's; of a diagram all parts come in" },
  { "connect(from, to)", "\"plant.angle\" to \"pid.measured\"; a part with one port stands for it" },
  { "export_input(name, to)", "the diagram's input `name` is the part's input `to`" },
  { "export_output(from, name)", "the diagram's output `name` is the part's output or state `from`" },
  { "build()", "what a simulator makes of it; raises on algebraic loops" },
  { "with(values)", "the same with other defaults: loop:with { [\"plant.mass\"] = 2 }" },
  { "sampling()", "period and offset of all periodic discrete updates, when they have one" },
}

deeds.log = {
  { "csv(path)", "writes a table" },
  { "jsonl(path)", "writes JSON Lines" },
  { "npz(path)", "writes arrays for NumPy" },
  { "plot(path, options)", "writes .html or .svg; without a path answers text; { { \"a\" }, { \"b\" } }: panels" },
  { "at(t)", "what held at t, by names; between steps as accurate as they are" },
  { "times(event)", "when it fired" },
  { "sample()", "a row of now" },
  { "stop()", "nothing is logged until start()" },
  { "start()", "logging goes on" },
  { "clone(sim)", "the same log of a clone" },
}

deeds.scenario = {
  { "run(changes)", "answers { status, context, log, stats, sim }" },
  { "prepare(changes)", "the same, not yet run: { sim, log, start, stop }" },
}

local closures = {
  { "derivatives", "(ctx, dot): dot.x of every q, v and z" },
  { "outputs, witness, becomes, when, next_time", "(ctx): nothing; they answer a value" },
  { "publish", "(ctx, event): nothing of the run" },
  { "discrete_update", "(ctx, next, event): next.x of discrete" },
  { "unrestricted_update, on_zeno", "(ctx, next, event): next.x of states, abstract and params" },
}

local event_things = {
  { "event.name, event.count", "which one; of a periodic one its number k, as in offset + k every" },
  { "event.interval, event.before", "of a witness: { t0, t1 } around the crossing, the context at t0" },
  { "next.random()", "in (0, 1); :integer(a, b), :normal(mean, sd), :exponential(mean)" },
}

local order_of_instant = {
  { "as a run begins", "unrestricted updates, discrete updates at = \"initialization\"; next_time is asked; then "
    .. "publishes, the monitor" },
  { "arriving at t", "the step ends; publishes, then the monitor, see the state before the updates; advance_to(t) "
    .. "returns here, and the updates that are due at t wait for the next call (and are saved)" },
  { "updates at t", "unrestricted ones, projection, discrete ones, which see what those wrote; then rounds" },
  { "a round", "what `becomes` answers true for since the updates, or the round, before: publishes, unrestricted and "
    .. "discrete updates, all of which see the state that those left; again until nothing turns true, at most "
    .. "max_events_per_instant times. It is no step: nothing with at = \"step\", no monitor" },
  { "demanded, scheduled", "publishes that sim:demand asks for at t run after its updates; those scheduled for t "
    .. "before them, as it is arrived at" },
}

local outcomes = {
  { "nothing", "it succeeded" },
  { "saltus.did_nothing", "next is put back" },
  { "saltus.terminate(why)", "the run ends well here" },
  { "saltus.fail(why)", "the run fails; nothing of the instant is kept" },
}

-- ---- the pages ----

local pages = {}

function pages.simulator()
  return "what runs a system", { title = "Options of saltus.simulator(system, { ... }) and of a scenario, with their "
    .. "defaults:", rows = option_rows(options.simulator) },
    { title = "Methods, as sim:advance_to(5):", rows = deeds.simulator },
    { title = "Fields, as sim.context:", rows = things }
end

function pages.system()
  return "a model: states, parameters, ports, what flows and what jumps",
    { title = "Fields of saltus.system { ... }:", rows = field_rows(require("saltus.model.system").fields) },
    { title = "An entry is \"name\", { \"name\", default, unit = \"m\" } or name = default; it may say:",
      rows = entry_rows() },
    { title = "Functions, and what they may write:", rows = closures },
    { text = "system:with { gravity = 1.62, [\"r[2]\"] = 0 } answers the same system with other defaults." },
    { example = examples.system }
end

function pages.events()
  return "what happens when: triggers, handlers, outcomes",
    { title = "Fields of an event; one trigger, at most one handler:",
      rows = field_rows(require("saltus.model.event").fields) },
    { title = "The order at one instant:", rows = order_of_instant },
    { title = "A handler has:", rows = event_things }, { title = "It returns:", rows = outcomes },
    { text = "At one instant publishes come first and see the state before it, then unrestricted updates, then "
      .. "discrete ones, which see what those wrote. Those of one kind all read the same ctx; of two that write one "
      .. "name the last one counts. A witness without handler ends the step where it crosses 0. One that its handler "
      .. "leaves at 0, and that goes on from there, does not fire again: change a mode, as a ball that stops bouncing "
      .. "comes to rest." },
    { text = "A witness fires where flow takes it across 0, not where an update moves it; `becomes` fires for both. "
      .. "Its `when` counts where it crosses. One that stays in Lua is asked at the ends of steps, too, and while it "
      .. "holds at neither the witness is not read." },
    { text = "Flow is followed through the comparisons of a closure that only calculates: each is located by itself, "
      .. "a NaN is passed over, and == or ~= between numbers that flow is an error. One that stays in Lua names in "
      .. "witness what crosses 0 where it may change; without, it is asked at the ends of steps, and a warning says "
      .. "so. What is true as the run begins has not turned true, unless at_start says so." },
    { example = examples.events }
end

function pages.diagram()
  return "systems wired by their ports", { title = "Methods, as d:add(system) after local d = saltus.diagram \"loop\":",
    rows = deeds.diagram },
    { text = "States and outputs are ports to connect from. A path is part.port, from outside part.part.name; the "
      .. "diagram's own name is never in it. print(d) is its tree; `saltus graph FILE` draws it." },
    { example = examples.diagram }
end

function pages.integrator()
  return "the methods that advance what flows",
    { title = "The option integrator is a " .. options.simulator[1].doc .. ".", rows = method_rows() },
    { title = "Options of sim:set_integrator(name, { ... }); `saltus help simulator` has their defaults:",
      rows = field_rows(options.set_integrator) },
    { title = "Methods, as sim.integrator:set_target_accuracy(1e-3):", rows = setter_rows() },
    { text = "print(sim.integrator) lists what it tells of itself. saltus.integrator { f =, x = } is one without a "
      .. "simulator." }
end

function pages.log()
  return "what a run recorded: rows, events, files, pictures",
    { title = "saltus.log(sim, { \"height\", power = function(ctx) ... end, every = 0.01 }); without names: every "
      .. "state and output", rows = field_rows(require("saltus.output.log").options) },
    { title = "Methods, as log:csv \"run.csv\":", rows = deeds.log },
    { title = "Options of log:plot(path, { ... }):", rows = field_rows(require("saltus.output.plot").options) },
    { text = "log.time, log.height, log[\"r[2]\"] are columns; log.r[row] is a vector; log.events are { time, name } "
      .. "of all that fired." }, { example = examples.log }
end

function pages.scenario()
  local scenario = require "saltus.simulation.scenario"
  return "a file that is a program", { title = "Fields of saltus.scenario { ... }, beside all options of a simulator:",
    rows = field_rows(scenario.fields) },
    { title = "Methods, as scenario:run { duration = 3 }:", rows = deeds.scenario },
    { title = "Changes, beside all options of a simulator:", rows = field_rows(scenario.run_fields) },
    { text = "A file that ends with `return saltus.scenario { ... }` runs by `saltus run FILE` and `lua5.4 FILE`." }
end

local order = { "system", "events", "diagram", "simulator", "integrator", "log", "scenario" }

-- The page of a topic, by its name or with an s more or less; nil when there is none.
function help.page(word)
  local name = pages[word] and word or pages[word .. "s"] and word .. "s" or word:gsub("s$", "")
  if not pages[name] then return nil end
  local page = { select(2, pages[name]()) }
  page.name, page.doc = name, (pages[name]())
  return page
end

function help.names() return order end

-- ---- as text ----

local WIDTH = 116

-- The text in lines; all but the first begin with `indent` blanks.
local function wrapped(text, indent)
  local lines, line = {}, ""
  for word in text:gmatch "%S+" do
    if line ~= "" and indent + #line + 1 + #word > WIDTH then
      lines[#lines + 1] = line
      line = word
    else
      line = line == "" and word or line .. " " .. word
    end
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n" .. (" "):rep(indent))
end

local function widths_of(rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for i = 1, #row - 1 do widths[i] = math.max(widths[i] or 0, #row[i]) end
  end
  return widths
end

local function row_text(row, widths)
  local text = " "
  for i = 1, #row - 1 do text = text .. (" %-" .. widths[i] .. "s "):format(row[i]) end
  return text .. " " .. wrapped(row[#row], #text + 1)
end

function help.text(page)
  local lines = {}
  for i, part in ipairs(page) do
    if i > 1 then lines[#lines + 1] = "" end
    lines[#lines + 1] = part.title and wrapped(part.title, 0) .. "\n"
    lines[#lines + 1] = part.text and wrapped(part.text, 0)
    lines[#lines + 1] = part.example and "  " .. part.example:gsub("\n", "\n  ")
    local widths = widths_of(part.rows or {})
    for _, row in ipairs(part.rows or {}) do lines[#lines + 1] = row_text(row, widths) end
  end
  return table.concat(lines, "\n")
end

-- A line for each topic.
function help.list()
  local lines = {}
  for i, name in ipairs(order) do lines[i] = ("   %-21s %s"):format(name, (pages[name]())) end
  return table.concat(lines, "\n")
end

return help
