-- saltus.forall: a property that holds for all values of some parameters. It tries many cases. If one fails, it makes
-- the case simpler, and raises an error with the command that runs it again.
--
--   saltus.forall { scenario = dofile "cruise.lua", params = { gain = { 5, 30 }, brake = { 0, 8 } }, runs = 200,
--     holds = "always gap > 0" }
local counter_random = require "saltus.sweep.counter_random"
local failure_file = require "saltus.property.failure_file"
local judge = require "saltus.property.judge"
local names = require "saltus.util.names"
local options = require "saltus.simulation.options"
local parameter = require "saltus.property.parameter"
local report = require "saltus.property.report"
local scenario = require "saltus.simulation.scenario"
local search = require "saltus.property.search"
local shrinker = require "saltus.property.shrinker"
local trial = require "saltus.property.trial"

local property = {}

-- One table for checks, help and documentation; the simulator's options, except seed, are fields too.
property.fields = {
  { name = "params", doc = "values by path: { low, high }, { \"off\", \"on\" }, { one_of = { 1, 2, 5 } }, "
    .. "{ integer = { 1, 6 } }, log_uniform, normal, uniform; with home = the simplest value; required" },
  { name = "holds", doc = "a formula in words, or function(run) that returns a margin (it holds at 0 and above), true "
    .. "or false, or that raises an error; default: the run does not fail, and is as the scenario expects" },
  { name = "scenario", doc = "what saltus.scenario returned, the name of its file, or function(values) that returns "
    .. "one; without it, holds gets the values" },
  { name = "system", doc = "instead of scenario: a system or a diagram, with duration" },
  { name = "runs", doc = "how many cases to draw; default: 100" },
  { name = "seed", doc = "a whole number that determines the cases; default: 0" },
  { name = "search", doc = "how many cases more to try for a smaller margin, if none fails; default: 0" },
  { name = "shrink", doc = "how many runs at most to make a failing case simpler; default: 2000" },
  { name = "cases", doc = "{ { gain = 7 }, ... }: cases to try first; other parameters are at home" },
  { name = "where", doc = "function(values) that returns whether the case is allowed" },
  { name = "functions", doc = "functions that the words name" },
  { name = "name", doc = "name of the property; default: the model and the words" },
  { name = "file", doc = "where failing cases are stored; false: nowhere; default: beside the spec that calls, as "
    .. "tank_spec.failing" },
  { name = "raise", doc = "false: returns the result of a property that fails, and stores it in a named file only; "
    .. "default: raises an error" },
  { name = "set", doc = "{ gravity = 1.62 }: other defaults for all cases" },
  { name = "duration", doc = "replaces the scenario's" },
  { name = "log", doc = "what each run records; default: all states and outputs" },
}

-- What saltus.forall returns; print shows it.
property.result_fields = {
  { name = "holds", doc = "whether no case failed" },
  { name = "runs", doc = "how many cases were tried, not counting those that made a failing one simpler" },
  { name = "margin", doc = "the smallest margin; nil if holds returns none" },
  { name = "values", doc = "the values by name of the simplest failing case, or of the case with the smallest margin" },
  { name = "seed", doc = "seed of this case's random streams" },
  { name = "first", doc = "the values of the failing case as it was found" },
  { name = "error", doc = "what failed" },
  { name = "command", doc = "the line that runs the failing case again" },
}

local DRAWS = 20 -- samples for each case that where accepts, at most
local DEFAULT_ACCURACY = 1e-6 -- of a simulator
local MOST_NAMES = 8 -- of parameters in the name of a property
local SEEDS = 999999 -- seeds have few digits

local Property = {}
Property.__index = Property

-- ---- what users write ----

local function whole(def, field, least, default)
  return def[field] == nil and default or names.check_whole(def[field], least, "saltus.forall", field)
end

local function check(def)
  local what = "saltus.forall"
  names.check(type(def) == "table" and names.kind(def) ~= "module", def, "%s takes a table", what)
  names.check_keys(def, names.joined(names.of(property.fields), names.of(options.simulator)), "field %s", what)
  names.fail_if(def.scenario ~= nil and def.system ~= nil, "%s takes scenario or system, not both", what)
  names.check_type(def.where, "function", "%s: where must be a function(values)", what)
  names.check_type(def.name, "string", "%s: name must be a text", what)
  names.check(def.file == nil or def.file == false or type(def.file) == "string", def.file,
    "%s: file must be a file name or false", what)
  names.check_type(def.raise, "boolean", "%s: raise must be true or false", what)
end

local function scenario_of_file(path)
  local ok, found = pcall(require("saltus.cli.model_file").scenario, path)
  local complaint = require "saltus.cli.complaint"
  if ok then return found end
  return names.fail("saltus.forall: %s", complaint.is(found) and found.message or complaint.message_of(found))
end

local function scenario_of(def)
  local given = def.scenario
  if def.system ~= nil then given = scenario.new { system = def.system, duration = def.duration } end
  if type(given) == "string" then given = scenario_of_file(given) end
  names.check(given == nil or type(given) == "function" or scenario.is(given), given, "saltus.forall: scenario must be "
    .. "what saltus.scenario returned, a file name, or a function(values)")
  return given
end

local function check_sets(def, list)
  for _, one in ipairs(list) do
    for _, path in ipairs { one.name, one.vector } do
      names.fail_if(def.set and def.set[path] ~= nil, "saltus.forall: %q is in set and in params; its values come from "
        .. "params", path)
    end
  end
end

local function name_of(self, def)
  local s, list = self.scenario, self.list
  if def.name then return def.name end
  local model = scenario.is(s) and s.model.name .. ": " or ""
  if self.holds.words then return model .. table.concat(self.holds.words, "; ") end
  local known = names.of(list)
  local more = #known > MOST_NAMES and (" and %d more"):format(#known - MOST_NAMES) or ""
  return model .. "the property of " .. table.concat(known, ", ", 1, math.min(#known, MOST_NAMES)) .. more
end

-- What runs have in common, as for scenario:run.
local function changes_of(def, s, log)
  local own = names.merged(options.besides_seed(def), { set = def.set, duration = def.duration, log = def.log })
  local needless = names.sorted_keys(own)[1]
  names.fail_if(s == nil and needless, "saltus.forall: %s needs a scenario", needless)
  local changes = names.merged({ target_realtime_rate = 0, log = log }, own)
  if scenario.is(s) then s:prepare(changes) end
  return changes
end

-- Checks everything, before the first run.
local function plan(def)
  check(def)
  local s = scenario_of(def)
  local self = setmetatable({ def = def, what = "saltus.forall", scenario = s, seed = whole(def, "seed",
    math.mininteger, 0), count = whole(def, "runs", 0, 100), search = whole(def, "search", 0, 0),
    most_shrinks = whole(def, "shrink", 0, 2000) }, Property)
  local is_one = scenario.is(s)
  local model = is_one and (def.set and s.model:with(def.set) or s.model) or nil
  self.list = parameter.list(def.params, model, self.what)
  check_sets(def, self.list)
  local holds, log = judge.of(def, s, self.what)
  self.changes, self.holds = changes_of(def, s, log), holds
  self.home_seed = is_one and s.options.seed or 0
  self.trial = trial.new({ scenario = s, list = self.list, holds = holds.quickly, where = def.where,
    changes = self.changes }, self.what)
  self.name = name_of(self, def)
  self.file = def.file
  if def.file == nil and def.raise ~= false then self.file = failure_file.beside_spec() end
  return self
end

-- ---- cases ----

function Property:named(values) return parameter.named(self.list, values) end

-- The values of a case by name; nil and the name of the parameter whose value does not fit.
local function values_of(self, by_name)
  local values = {}
  for i, one in ipairs(self.list) do
    local value = by_name[one.name]
    if value == nil and one.vector then value = by_name[one.vector] and by_name[one.vector][one.element] end
    if value == nil then value = one.home end
    values[i] = one:accepted(value)
    if values[i] == nil then return nil, one end
  end
  return values
end

-- Tries a case. Returns true if it ends the search: it failed.
local function try(self, values, seed, found_by)
  self.runs = (self.runs or 0) + 1
  local found = self.trial:run(values, seed)
  local case = { values = values, seed = seed, verdict = found }
  if found.margin and (not self.best or found.margin < self.best.verdict.margin) then self.best = case end
  if not found.text then return false, found end
  self.case, self.found_by = case, found_by
  return true, found
end

local function try_given(self)
  for i, given in ipairs(self.def.cases or {}) do
    local who = ("%s: cases[%d]"):format(self.what, i)
    names.check(type(given) == "table", given, "%s must be a table of values by name", who)
    names.check_keys(given, names.sorted_keys(self.def.params), "name %s in " .. who)
    local values, wrong = values_of(self, given)
    if not values then names.fail("%s: the value of %q is outside of params", who, wrong.name) end
    if try(self, values, self.home_seed, "the list of cases") then return true end
  end
end

local function try_stored(self)
  for _, case in ipairs(self.file and failure_file.read(self.file, self.name) or {}) do
    local values = values_of(self, case.values)
    if values and self.trial:allows(values) and try(self, values, case.seed, "a stored case") then return true end
  end
end

local function sample(self, k)
  local values = {}
  for i, one in ipairs(self.list) do
    values[i] = one.home
    if k > 1 then values[i] = one:sample(self.seed, k) end
  end
  return values
end

local function seed_of(self, k)
  return k == 1 and self.home_seed or 1 + counter_random.seed(self.seed, k) % SEEDS
end

local function try_samples(self)
  local made, k = 0, 0
  while made < self.count do
    k = k + 1
    names.fail_if(k > DRAWS * self.count, "%s: where accepts %d of %d samples; narrower params need fewer", self.what,
      made, k - 1)
    local values = sample(self, k)
    if self.trial:allows(values) then
      made = made + 1
      if try(self, values, seed_of(self, k), "random samples") then return true end
    end
  end
end

-- The search minimizes a function: all of its cases have one seed.
local function try_search(self)
  if self.search == 0 then return end
  names.fail_if(not self.best, "%s: search needs margins; holds returns none", self.what)
  local start = names.map(self.list, function(one, i) return one:place_of(self.best.values[i]) end)
  local seed, left, asked = self.best.seed, self.search, 0
  search.run(start, self.seed, function(point)
    local values = names.map(self.list, function(one, i) return one:at(point[i]) end)
    asked = asked + 1
    if not self.trial:allows(values) then return math.huge, asked >= DRAWS * self.search end
    left = left - 1
    local fails, found = try(self, values, seed, "the search")
    return found.margin or math.huge, fails or left == 0
  end)
end

-- ---- the result ----

local Result = { __name = "saltus.property_result" }
Result.__index = Result

function Result:__tostring() return self.text end

local known = names.of(property.result_fields)
names.closed(Result, "the result of a property", names.joined(known, { "best", "case", "found_at", "found_by",
  "shrink_runs", "stored", "text" }), known)


-- By how much the margin of a formula may be wrong.
local function accuracy_of(self)
  if not self.holds.words or not scenario.is(self.scenario) then return 0 end
  return self.changes.accuracy or self.scenario.options.accuracy or DEFAULT_ACCURACY
end

local function simplify(self)
  local case = self.case
  local values, seed, verdict, tried = shrinker.run { list = self.list, values = case.values, seed = case.seed,
    verdict = case.verdict, home_seed = self.home_seed, most = self.most_shrinks, accuracy = accuracy_of(self),
    run = function(values, seed) return self.trial:run(values, seed) end,
    allows = function(values) return self.trial:allows(values) end }
  self.trial:forget()
  self.trial.holds = self.holds.closely
  local again = self.trial:run(values, seed)
  local is_stable = again.kind == verdict.kind
  return { values = values, seed = seed, verdict = is_stable and again or verdict, is_stable = is_stable }, tried
end

local function failure(self)
  local runs, first = self.runs, self:named(self.case.values)
  local case, tried = simplify(self)
  local result = { holds = false, runs = runs, found_at = runs, found_by = self.found_by, first = first,
    case = case, values = self:named(case.values), seed = case.seed, shrink_runs = tried, error = case.verdict.text,
    margin = case.verdict.kind == "margin" and case.verdict.margin or nil }
  result.command = report.replay(self, case)
  local stored = self.file and failure_file.add(self.file, self.name, case.seed, self.list, case.values)
  result.stored = stored and self.file or nil
  return result
end

local function success(self)
  local best = self.best
  return { holds = true, runs = self.runs or 0, margin = best and best.verdict.margin, best = best,
    values = best and self:named(best.values), seed = best and best.seed }
end

local failed = { __tostring = function(self) return self.text end }

-- In a spec a property that fails is a failure, as a failed assertion is; elsewhere an error.
local function raise(text)
  local luassert = package and package.loaded.luassert
  if not luassert then names.fail("%s", text) end
  local where = names.where()
  luassert(false, setmetatable({ text = where and where .. ": " .. text or text }, failed))
end

-- saltus.forall { params =, holds =, ... }
function property.new(def)
  local self = plan(def)
  local fails = try_given(self) or try_stored(self) or try_samples(self)
  if not fails then try_search(self) end
  names.fail_if(not self.runs, "saltus.forall: no case was tried: runs is 0, and there are no cases")
  local result = setmetatable(self.case and failure(self) or success(self), Result)
  result.text = report.text(self, result)
  if not result.holds and def.raise ~= false then raise(result.text) end
  return result
end

return property
