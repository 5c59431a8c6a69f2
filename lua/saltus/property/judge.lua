-- What `holds` is: a function, or a formula in words, which reads each run closely only where a case has failed.
local names = require "saltus.util.names"
local scenario = require "saltus.simulation.scenario"

local judge = {}

local PIECES = 4 -- points of a step at which a formula is read, besides turning points: a quarter of the time of 64

local function nothing() return nil end

local function check_with(formula, tree, functions, pieces)
  return function(run) return formula.check(run, tree, { functions = functions, pieces = pieces }) end
end

-- The paths that a formula reads, as a log.
local function log_of(tree, s, functions)
  if not scenario.is(s) then return {} end
  local found = require("saltus.formula.meaning").of(tree, s.model, functions)
  return require("saltus.formula.check").paths(tree, found)
end

local function of_words(def, s, what)
  names.fail_if(s == nil, "%s: a formula needs a scenario; without one, holds is a function(values)", what)
  local formula = require "saltus.formula"
  local tree = type(def.holds) == "string" and formula.parse(def.holds) or def.holds
  local functions = def.functions
  return { words = tostring(tree), quickly = check_with(formula, tree, functions, PIECES),
    closely = check_with(formula, tree, functions) }, def.log or log_of(tree, s, functions)
end

-- Returns { quickly =, closely =, words = }, functions of a run as `holds` describes them, and what a run records.
-- s: the scenario, a function that builds it, or nil
function judge.of(def, s, what)
  local holds = def.holds
  local is_formula = type(holds) == "string"
    or type(holds) == "table" and require("saltus.formula.grammar").is_tree(holds)
  if is_formula then return of_words(def, s, what) end
  names.check_type(holds, "function", "%s: holds must be a formula in words or a function(run)", what)
  return { quickly = holds or nothing, closely = holds or nothing }, s ~= nil and holds ~= nil and {} or false
end

return judge
