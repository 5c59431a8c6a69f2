-- Tries cases of a property: runs the scenario with the values of a case, and judges the run.
--
-- A verdict is { margin =, text =, kind = }: the margin is a number if the property has one; `text` says what failed,
-- and is nil if the case holds; `kind` is the same for failures of the same sort.
local interrupted = require("saltus.core").interrupted
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local parameter = require "saltus.property.parameter"
local runner = require "saltus.sweep.runner"
local scenario = require "saltus.simulation.scenario"

local trial = {}

local Trial = {}
Trial.__index = Trial

-- ---- verdicts ----

local function failed(kind, text, margin) return { kind = kind, text = text, margin = margin or -math.huge } end

-- Errors are of one sort if their first lines are the same but for the numbers in them.
local function of_error(text)
  local line = text:match "[^\n]*"
  return failed("error: " .. line:gsub("%-?%d[%w.+-]*", "#"), text)
end

local function of_number(margin)
  if margin ~= margin then return failed("NaN", "holds returned NaN") end
  if margin >= 0 then return { margin = margin } end
  return failed("margin", numerals.format("the margin is %.6g", margin), margin)
end

-- What saltus.formula.check returns. The first line of its text has the words, which the property's name has too.
local function of_check(result)
  if result.holds then return { margin = result.margin } end
  local text = result.text and (result.text:match "\n%s*(.*)" or result.text)
  return failed(result.decided == false and "not decided" or "margin", text or "holds returned { holds = false }",
    result.margin)
end

-- The verdict of what `holds` returned.
local function verdict(returned)
  if returned == nil or returned == true then return {} end
  if returned == false then return failed("false", "holds returned false") end
  if type(returned) == "number" then return of_number(returned) end
  if type(returned) == "table" and type(returned.holds) == "boolean" then return of_check(returned) end
  return of_error(("holds must return a margin, true, false or nothing, got %s"):format(names.show(returned)))
end

-- ---- runs ----

local function has_words(list)
  for _, one in ipairs(list) do
    if one.values then return true end
  end
  return false
end

-- One scenario for all cases: the runs share a simulator, as those of a sweep.
local function of_scenario(self, given, what)
  local made, returned
  made = runner.new(given.scenario, { names = names.of(self.list), numbers = not has_words(self.list), row = {},
    first = 0, changes = given.changes, reuses_log = true, measure = function(run)
      local own = run.params -- the next run writes into it
      run.params = self.named
      returned = self.holds(run)
      run.params = own
      return {}
    end }, what)
  for i, one in ipairs(self.list) do
    for _, value in ipairs(one.values or { one.low, one.high, one.home }) do made:check_value(i, value, one.who) end
  end
  self.runner = made
  return function(values, seed)
    returned = nil
    local reason, _, object = made:run(0, seed, values)
    if reason ~= "failed" then return true, returned end
    return false, runner.text_of(object)
  end
end

-- Each case builds its scenario, or needs none.
local function of_function(self, given)
  local build = given.scenario
  local function judge(seed)
    if not build then return self.holds(self.named) end
    local s = build(self.named)
    names.check(scenario.is(s), s, "%s: the function scenario must return a scenario", self.what)
    local run = s:run(names.merged(given.changes, { seed = seed }))
    run.params, run.seed = self.named, seed
    return self.holds(run)
  end
  return function(_, seed)
    local ok, returned = pcall(judge, seed)
    if ok then return true, returned end
    local text = runner.text_of(returned)
    if runner.is_ctrl_c(text) then error(returned, 0) end
    return false, text
  end
end

-- given: scenario (one, a function of the values, or nil), list (of parameters), holds (a function), changes (as for
-- scenario:run, of all cases), where (a function or nil)
function trial.new(given, what)
  local self = setmetatable({ list = given.list, holds = given.holds, where = given.where, what = what, runs = 0 },
    Trial)
  local is_one = scenario.is(given.scenario)
  self.try = is_one and of_scenario(self, given, what) or of_function(self, given)
  return self
end

-- Whether the case is one of the property.
function Trial:allows(values)
  if not self.where then return true end
  local allowed = self.where(parameter.named(self.list, values))
  names.check(type(allowed) == "boolean", allowed, "%s: where must return true or false", self.what)
  return allowed
end

-- The next case gets a new simulator.
function Trial:forget()
  if self.runner then self.runner.sim = nil end
end

-- Runs a case and returns its verdict.
function Trial:run(values, seed)
  self.runs = self.runs + 1
  self.named = parameter.named(self.list, values)
  local ok, returned = self.try(values, seed)
  if interrupted() then error(self.what .. ": interrupted", 0) end
  if ok then return verdict(returned) end
  return of_error(returned)
end

return trial
