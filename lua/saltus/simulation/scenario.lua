-- Scenarios: a system, the duration of a run, and what to log. `saltus run` and lua5.4 run a file that ends with
-- `return saltus.scenario { ... }`.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local main_chunk = require "saltus.simulation.main_chunk"
local options = require "saltus.simulation.options"
local model = require "saltus.model.flat_model"

local scenario = {}

local Scenario = { __name = "saltus.scenario" }
Scenario.__index = Scenario

function scenario.is(value) return getmetatable(value) == Scenario end

-- Fields besides the simulator's options: one table for checks, help and documentation.
scenario.fields = {
  { name = "system", doc = "a system or a diagram; required" },
  { name = "duration", doc = "seconds to run; default: given by --duration" },
  { name = "log", doc = "arguments of saltus.log: { \"height\", every = 0.01 }; false: no log" },
  { name = "monitor", doc = "function(ctx), called after each step; may return saltus.terminate \"why\" or "
    .. "saltus.fail \"why\"" },
  { name = "story", doc = "function(s, run): what happens in the run, in order; see saltus help stories" },
  { name = "journal", doc = "false: a run with a story cannot be saved; default: true, a journal from which stories "
    .. "run again after a load" },
  { name = "draw", doc = "function(ctx, pen): draws the state for --animate; see saltus help pen" },
  { name = "view", doc = "{ left = -1, right = 1, bottom = 0, top = 1 }: the rectangle of the world that is shown; "
    .. "default: what is drawn" },
  { name = "expects", doc = "{ \"always height < 2\" }: formulas that a run must fulfil; see saltus help formula" },
  { name = "measure", doc = "for sweeps: function(result) that returns { name = value, ... }, or names like "
    .. "{ \"height\" }" },
}
scenario.run_fields = {
  { name = "set", doc = "{ restitution = 0.5 }: other defaults by path" },
  { name = "duration", doc = "replaces the scenario's" },
  { name = "log", doc = "replaces the scenario's" },
  { name = "every", doc = "seconds between rows of the log, instead of its own; 0: each step" },
  { name = "animate", doc = "an .html file: the page of its draw functions, as --animate" },
  { name = "expects", doc = "formulas besides the scenario's" },
  { name = "progress", doc = "function(time), called after every 64th step" },
}

local option_names = names.of(options.simulator)

local function check_draw(def)
  names.check_type(def.draw, "function", "saltus.scenario: draw must be a function(ctx, pen)")
  if def.view ~= nil then require("saltus.output.animation.scene").check_view(def.view, "saltus.scenario") end
end

local function check_fields(given, own, what)
  names.check_keys(given, names.joined(names.of(own), option_names), "field", what)
end

local function check_duration(value, what)
  names.check(value == nil or numerals.is_finite(value) and value >= 0, value,
    "%s: duration must be a number of seconds, not negative and finite", what)
  return value
end

local function check_log(value, what)
  names.check(not value or type(value) == "table", value,
    "%s: log must be a table like { \"height\", every = 0.01 } or false", what)
  return value
end

-- The log's arguments with another time between rows.
local function with_every(wanted, every, what)
  if every == nil or not wanted then return wanted end
  names.check(numerals.is_finite(every) and every >= 0, every, "%s: every must be a number of seconds, not negative",
    what)
  local out = names.merged(wanted)
  out.every = every > 0 and every or nil
  return out
end

local function check_monitor(fn)
  return fn ~= nil and require("saltus.simulation.simulator_fields").checked_monitor(fn, "saltus.scenario: monitor")
    or nil
end

local function check_story(value)
  names.check(value == nil or type(value) == "function", value, "saltus.scenario: story must be a function(s, run)")
  return value
end

local function check_measure(value)
  names.check(value == nil or type(value) == "function" or type(value) == "table", value,
    "saltus.scenario: measure must be a function(result) or a list of names")
  return value
end

local function check_expects(self, given, what)
  return given ~= nil and require("saltus.formula.expectations").checked(self.model, given, what, self.story) or nil
end

-- The simulator options in `given`, otherwise those in `base`.
local function simulator_options(given, base)
  local out = {}
  for _, name in ipairs(option_names) do
    out[name] = base and base[name]
    if given[name] ~= nil then out[name] = given[name] end
  end
  return out
end

-- Runs the scenario if its file is the program.
local function run_if_program(self)
  local function run()
    local code = scenario.run_program(self, arg)
    if code ~= 0 then os.exit(code, true) end
  end
  if main_chunk.is_tail_call(3) then return run() end
  main_chunk.on_return(3, self, run)
end

function scenario.new(def)
  local loading = names.final_call
  names.final_call = loading or main_chunk.final_call(2) or false
  names.check(type(def) == "table" and names.kind(def) ~= "module", def, "saltus.scenario takes a table")
  check_fields(def, scenario.fields, "saltus.scenario")
  if def.system == nil then names.fail("saltus.scenario: the field \"system\" is missing") end
  local self = setmetatable({
    system = def.system,
    model = model.of(def.system, "saltus.scenario: system"),
    duration = check_duration(def.duration, "saltus.scenario"),
    log = check_log(def.log, "saltus.scenario"),
    measure = check_measure(def.measure),
    story = check_story(def.story), journal = def.journal,
    options = simulator_options(def),
    monitor = check_monitor(def.monitor),
    draw = def.draw, view = def.view,
  }, Scenario)
  check_draw(def)
  local checked = options.check(self.options, options.simulator, "saltus.scenario")
  if def.integrator then require("saltus.simulation.build").find_method(checked.integrator, "saltus.scenario") end
  if self.log then require("saltus.output.log").check(self.model, self.log) end
  self.expects = check_expects(self, def.expects, "saltus.scenario")
  model.complete(def.system)
  names.final_call = loading
  if scenario.run_program then run_if_program(self) end
  return self
end

-- Returns a simulator and its log, ready to advance to `stop`; arguments as in scenario:run.
function Scenario:prepare(changes)
  local what = ("scenario of %q"):format(self.model.name)
  changes = changes or {}
  names.check(type(changes) == "table", changes, "%s: run takes a table", what)
  check_fields(changes, scenario.run_fields, what)
  local duration = check_duration(changes.duration, what) or self.duration
  if not duration then names.fail("%s has no duration; give duration = seconds, or --duration", what) end
  local opts = simulator_options(changes, self.options)
  local start = opts.start_time or 0
  if duration > 0 and start + duration == start then
    names.fail("%s: a duration of %s s is lost in rounding after start_time = %s s", what, names.show(duration),
      names.show(start))
  end
  local system = self.system
  if changes.set ~= nil then system = self.model:with(changes.set) end
  local sim = require("saltus.simulation.simulator").new(system, opts)
  if self.monitor then sim.monitor = self.monitor end
  local wanted = check_log(changes.log, what)
  if wanted == nil then wanted = self.log == nil and {} or self.log end
  wanted = with_every(wanted, changes.every, what)
  sim.inner.origin = { file = self.file, changes = changes, start = start, stop = start + duration,
    every = type(self.log) == "table" and self.log.every or nil } -- for the run card
  local log
  if wanted then log = require("saltus.output.log").new(sim, wanted) end
  local stories = self.story and require("saltus.story").of(sim, { journal = self.journal })
  if stories then stories:spawn("story", self.story) end
  return { sim = sim, log = log, stop = start + duration, start = start, stories = stories }
end

-- Prepares what a run of scenario:prepare is expected to fulfil; nil if nothing is.
function scenario.expectations(self, run, changes)
  local own = check_expects(self, changes and changes.expects, ("scenario of %q"):format(self.model.name))
  if not self.expects and not own then return nil end
  local expectations = require "saltus.formula.expectations"
  return expectations.begin(run, expectations.joined(self.expects, own))
end

local optional = { "log", "stories", "expects", "params", "seed" } -- params, seed: of a case of saltus.forall
local result_names = { "status", "context", "log", "stats", "sim", "stories", "expects" }

-- scenario:run { set = { restitution = 0.5 }, duration = 3, seed = 7 } returns
-- { status, context, log, stats, sim, stories, expects }; expects: what saltus.formula.check returns, for each formula.
function Scenario:run(changes)
  local run = self:prepare(changes)
  local expected = scenario.expectations(self, run, changes)
  if changes and changes.progress then run.sim:on_progress(changes.progress) end
  local animation = changes and changes.animate and require "saltus.output.animation"
  local film = animation and animation.film(self, run, changes.animate)
  local status = (film or run.sim):advance_to(run.stop)
  if film then animation.write(film, run.log) end
  return names.closed({ status = status, context = run.sim.context, log = run.log, stats = run.sim.stats,
    sim = run.sim, stories = run.stories, expects = expected and expected:results() }, "the result of a run", optional,
    result_names)
end

names.with_colon(Scenario, Scenario.__name)
names.sealed(Scenario, "a scenario", names.joined(names.of(scenario.fields), { "model", "options", "file", "sources" }))

function Scenario:__tostring() return "scenario\n" .. tostring(self.model) end

return scenario
