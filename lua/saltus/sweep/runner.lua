-- Runs the cases of a sweep, one after the other. One simulator serves all of them: it loads the state before the
-- start, gets the case's values and seed, and advances. The results are those of a new simulator, to the bit.
local columns = require "saltus.sweep.columns"
local context = require "saltus.simulation.context"
local context_write = require "saltus.simulation.context.write"
local core_module = require "saltus.core"
local names = require "saltus.util.names"
local outcome = require "saltus.simulation.outcome"
local preconditions = require "saltus.simulation.preconditions"
local status = require "saltus.simulation.status"
local changed_upvalues = require "saltus.sweep.changed_upvalues"
local variable = require "saltus.model.variable"

local runner = {}

local Runner = {}
Runner.__index = Runner

local interrupted, put_numbers = core_module.interrupted, core_module.put_numbers
local NO_PLACES = {}
local number_of = core_module.constants.partition

-- ---- what a case sets ----

local function resolve(m, path, what)
  local part, e, element = m:resolve(path)
  if not part then names.fail("%s: %s", what, e) end
  m:check_not_fed(part, e, path)
  names.fail_if(e.partition == "output", "%s: %q is an output: it is computed, not set", what, path)
  names.fail_if(e.vector and not element, "%s: %q is a vector; sweep its elements, like [\"%s[1]\"]", what, path, path)
  -- The design checks that numbers are finite; what has no other rules is written as it is.
  local is_plain = not (element or e.values or e.rules or e.abstract or e.partition == "input")
  return { path = path, part = part, entry = e, element = element, who = ("%q"):format(path),
    plain = is_plain and number_of[e.partition], offset = e.offset }
end

-- Some values decide how a simulator is built: abstract ones, and those of blocks that are ordered.
local function needs_new_simulator(setting)
  return setting.entry.abstract or setting.entry.rules ~= nil
end

-- The places of the numbers that begin_case writes; nil if some setting needs its checks.
local function places_of(settings)
  local out = {}
  for _, one in ipairs(settings) do
    if not one.plain then return nil end
    table.move({ one.part - 1, one.plain, one.offset }, 1, 3, #out + 1, out)
  end
  return out
end

-- Loads the start of the run, sets the values of a case, and advances; as core:advance_case.
local function advance_checked(self, core, seed, values)
  core:begin_case(self.start, seed, NO_PLACES, values)
  for i, one in ipairs(self.settings) do
    context_write.write(core, one.part, one.entry, one.element, values[i], one.who)
  end
  preconditions.check_inputs(self.sim)
  return core:advance_case(self.stop)
end

-- ---- what a case measures ----

-- The paths of all elements of a variable.
local function elements(path, e)
  local out = {}
  for i = 1, e.size do out[i] = e.vector and ("%s[%d]"):format(path, i) or path end
  return out
end

-- All states: what a sweep without `measure` reports.
local function state_paths(m)
  local out = {}
  for _, part in ipairs(m.parts) do
    for _, section in ipairs { "q", "v", "z", "discrete" } do
      for _, e in ipairs(part.system[section]) do
        table.move(elements(names.join(part.path, e.name), e), 1, e.size, #out + 1, out)
      end
    end
  end
  return out
end

-- The paths of the numbers that a name in a list of measures stands for.
local function measured_paths(m, path, what)
  names.check(type(path) == "string", path, "%s: measure lists names of values", what)
  if path == "time" then return { path } end
  local part, e, element = m:resolve(path)
  if not part then names.fail("%s: measure: %s", what, e) end
  names.fail_if(e.abstract, "%s: measure: %q is abstract; give a function that returns numbers or words", what, path)
  return element and { path } or elements(path, e)
end

-- A measure that reads these paths at the end of the run.
local function measure_of_paths(self, list, what)
  local paths, count = {}, 0
  for _ in pairs(list) do count = count + 1 end
  names.fail_if(count ~= #list, "%s: measure must be a list of names without gaps, like { \"height\" }", what)
  for i, path in ipairs(list) do
    names.fail_if(names.index_of(list, path) < i, "%s: measure lists %s twice", what, names.show(path))
    paths = names.joined(paths, measured_paths(self.scenario.model, path, what))
  end
  local own = names.map(paths, function(path) return names.index_of(self.names, path) and "final_" .. path or path end)
  self:set_columns(own)
  local row, first = self.row, self.first
  return function(result)
    local ctx = result.context
    for i, path in ipairs(paths) do row[first + i] = ctx[path] end
  end
end

-- A user's text for a row: one line, without bytes that a terminal executes.
local function on_one_line(text) return (names.visible(text):gsub("%s*\n%s*", " | ")) end

-- Puts values with other names than those of the rows before, or with wrong values, into the row.
local function measure_slowly(self, returned)
  returned = columns.named(returned)
  local list = columns.of(returned, self.names)
  local wrong = self.columns and not self.may_differ and columns.difference(self.columns, list)
  if wrong then error(wrong, 0) end
  self:set_columns(list)
  for i, name in ipairs(list) do
    local value = returned[name]
    self.row[self.first + i] = type(value) == "string" and on_one_line(value) or value
  end
end

-- A measure that calls the user's function.
local function measure_of_function(self, fn)
  local row = self.row
  return function(result)
    local returned = fn(result)
    if put_numbers(returned, self.measured_at, row) ~= self.column_count then measure_slowly(self, returned) end
  end
end

local function make_measure(self, measure, what)
  if type(measure) == "function" then return measure_of_function(self, measure) end
  names.check(measure == nil or type(measure) == "table", measure,
    "%s: measure must be a function(result) or a list of names", what)
  return measure_of_paths(self, measure or state_paths(self.scenario.model), what)
end

-- ---- results, as `measure` gets them ----

runner.result_fields = {
  { name = "run", doc = "the number of the run, from 1" },
  { name = "seed", doc = "of the random streams of this run" },
  { name = "params", doc = "the values of this run by path" },
  { name = "status", doc = "why and when it ended" },
  { name = "context", doc = "the values at the end, as result.context.height; they change with the next run" },
  { name = "stats", doc = "the counters of this run" },
  { name = "log", doc = "with the field log: what the run recorded" },
  { name = "stories", doc = "of a scenario with a story: its resources, stores and tanks by name, in stories.queues" },
  { name = "sim", doc = "the simulator" },
}

local result_meta = { __name = "saltus.run_result" }

function result_meta.__index(self, key)
  if key == "status" then
    return status.reached_boundary(self.sim.core:time(context.RUN))
  elseif key == "log" then
    names.fail "this sweep keeps no log; give saltus.sweep { log = { \"height\" } }"
  end
  if key == "stories" then names.fail "the scenario of this sweep has no story" end
  names.fail_unknown("name %s in the result of a run", key, names.of(runner.result_fields))
end

-- ---- runs ----

local function result_of(sim, log)
  return setmetatable({ sim = sim, context = sim.context, stats = sim.stats, log = log,
    params = names.closed({}, "the params of a run") }, result_meta)
end

-- A new simulator whose values before the start are saved.
local function prepare_reused(self)
  local run = self.scenario:prepare(self.changes)
  self.sim, self.core, self.stop = run.sim, run.sim.core, run.stop
  if run.sim.needed[1] then self.places = nil end -- inputs without a value are checked before each run
  self.start = run.sim:save()
  run.sim.inner.is_changed = false -- what the scenario sets is the same in all runs
  self.result = result_of(run.sim, run.log)
end

local function advance_reused(self, seed, values)
  if not self.sim then prepare_reused(self) end
  local core, places = self.core, self.places
  outcome.last_made = false
  if places then
    return self.result, status.end_of_case(self.sim, core:run_case(self.start, seed, places, values, self.stop))
  end
  return self.result, status.end_of_case(self.sim, advance_checked(self, core, seed, values))
end

-- A simulator of its own, as scenario:run has it.
local function advance_new(self, seed, values)
  local set = names.merged(self.changes.set)
  for i, path in ipairs(self.names) do set[path] = values[i] end
  local run = self.scenario:prepare(names.merged(self.changes, { set = set, seed = seed }))
  local result = result_of(run.sim, run.log)
  rawset(result, "stories", run.stories)
  return result, run.sim:advance_to(run.stop)
end

-- A load takes away the rows of a log, but not the thinning of one with most_rows.
local function shares_log(given) return given.reuses_log and given.changes.log.most_rows == nil end

-- given: names (the paths that change), numbers (whether all their values are numbers), changes (as for scenario:run,
-- of all cases), measure, row and first: measured values are put into row[first + 1], row[first + 2], ...
-- reuses_log: whether the log of a run may end with the next run
function runner.new(s, given, what)
  local self = setmetatable({ scenario = s, names = given.names, changes = given.changes, row = given.row,
    first = given.first, measured_at = {}, column_count = -1, settings = {}, warning_count = 0,
    is_watching = true }, Runner)
  local is_fresh = given.changes.log and not shares_log(given) or s.story
  for i, path in ipairs(given.names) do
    self.settings[i] = resolve(s.model, path, what)
    is_fresh = is_fresh or needs_new_simulator(self.settings[i])
  end
  self.places = given.numbers and places_of(self.settings)
  self.advance = is_fresh and advance_new or advance_reused
  self.measure = make_measure(self, given.measure, what)
  return self
end

-- A simulator gives each warning once, and a load does not undo what measure has set: the next run gets a new one.
local function drop_simulator(self, k, inner)
  self.sim = nil
  if inner.warnings[1] then self:add_warnings(1, k, inner.warnings[1].message) end
end

-- After the first run, and after the second one.
local function watch_upvalues(self, k, sim)
  local wrong = self.upvalues and changed_upvalues.warning(self.upvalues)
  if wrong then self:add_warnings(1, k, wrong) end
  self.is_watching, self.upvalues = not self.upvalues, self.upvalues or changed_upvalues.of(sim)
end

local function run(self, k, seed, values)
  local result, ended = self.advance(self, seed, values)
  if ended and ended.reason == "interrupted" then return "interrupted" end
  result.run, result.seed, result.status = k, seed, ended
  local params, list = result.params, self.names
  for i = 1, #list do params[list[i]] = values[i] end
  self.measure(result)
  local inner = result.sim.inner
  if inner.is_changed or inner.warnings[1] then drop_simulator(self, k, inner) end
  if self.is_watching then watch_upvalues(self, k, result.sim) end
  return ended and ended.reason or "reached_boundary_time"
end

-- The text of an error object.
function runner.text_of(wrong)
  local mt = getmetatable(wrong)
  local ok, text = pcall(tostring, wrong)
  if type(wrong) == "table" and not (type(mt) == "table" and rawget(mt, "__tostring")) or not ok then
    return "an error object without a text"
  end
  return text
end

-- How the interpreter lua5.4 raises Ctrl-C: an error as any other.
function runner.is_ctrl_c(message) return message:find "^interrupted!" or message:find ":%d+: interrupted!" end

-- Raises an error for a value that the i-th path cannot have.
function Runner:check_value(i, value, who)
  local e = self.settings[i].entry
  local check = self.settings[i].element and variable.element or variable.value
  check(e, value, who)
end

-- The same for a word, or for a path whose values are words: numbers that break a rule are failed runs.
function Runner:check_word(i, value, who)
  if type(value) == "string" or self.settings[i].entry.values then self:check_value(i, value, who) end
end

-- Counts runs that warned; `message`: what the first of them, run k, said.
function Runner:add_warnings(count, k, message)
  self.warning_count = self.warning_count + count
  if k < (self.warned_first or math.huge) then self.warned_first, self.first_warning = k, message end
end

-- The names that runs measure, from now on.
function Runner:set_columns(list)
  self.columns, self.column_count, self.measured_at = list, #list, {}
  for i, name in ipairs(list) do self.measured_at[name] = self.first + i end
end

-- Runs case k. Returns why it ended, or "failed", the message and the error object; the measured values are in the row,
-- in the order of self.columns. "interrupted": the program was, and the case has no values.
function Runner:run(k, seed, values)
  local ok, reason = pcall(run, self, k, seed, values)
  if interrupted() then return "interrupted" end -- also if the model caught the error that stopped it
  if ok then return reason end
  local message = on_one_line(runner.text_of(reason))
  if runner.is_ctrl_c(message) then error(reason, 0) end
  self.sim = nil -- the next case begins with a new simulator
  return "failed", message, reason
end

return runner
