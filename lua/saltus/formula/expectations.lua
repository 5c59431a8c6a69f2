-- What a run is expected to fulfil: formulas that are followed while it goes on, and checked after it, over a log of
-- what they read. The log records each step and changes none, so the run has the same bits with and without
-- expectations.
local check = require "saltus.formula.check"
local explanation = require "saltus.formula.explanation"
local emits = require "saltus.story.emits"
local follower = require "saltus.formula.follower"
local grammar = require "saltus.formula.grammar"
local log_columns = require "saltus.output.log_columns"
local meaning = require "saltus.formula.meaning"
local names = require "saltus.util.names"

local expectations = {}

local Expectations = {}
Expectations.__index = Expectations

-- Checks { "always height >= -1e-9", ..., functions = { name = function } } against a model; returns the trees and the
-- paths that they read. `story`: of the scenario, or nil.
function expectations.checked(model, given, what, story)
  names.check(type(given) == "table" and not grammar.is_tree(given), given,
    "%s: expects must be a list of formulas like { \"always height < 2\" }", what)
  for _, key in ipairs(names.sorted_keys(given)) do
    local is_item = math.type(key) == "integer" and key >= 1 and key <= #given
    names.fail_if(not is_item and key ~= "functions",
      "%s: expects is a list of formulas, and a table of functions; it has the field %s", what, names.show(key))
  end
  local trees, found, paths, more = {}, {}, {}, { emits = emits.of_story(story) }
  for i, words in ipairs(given) do
    trees[i] = grammar.is_tree(words) and words or grammar.parse(words)
    found[i] = meaning.of(trees[i], model, given.functions, more)
    paths = names.joined(paths, check.paths(trees[i], found[i]))
  end
  return { trees = trees, found = found, paths = paths, functions = given.functions }
end

-- Joins the expectations of a scenario with those of one run; each may be nil.
function expectations.joined(first, second)
  if not first or not second then return first or second end
  return { trees = names.joined(first.trees, second.trees), found = names.joined(first.found, second.found),
    paths = names.joined(first.paths, second.paths), functions = names.merged(first.functions, second.functions) }
end

local function has_all(log, paths)
  local inner = log_columns.inner_of(log)
  if inner.every or inner.spec.most_rows then return false end
  for _, path in ipairs(paths) do
    if not log_columns.find(inner, path) then return false end
  end
  return true
end

local function distinct(list)
  local out, seen = {}, {}
  for _, item in ipairs(list) do
    if not seen[item] then out[#out + 1] = item end
    seen[item] = true
  end
  return out
end

-- The log of a run serves if it has what is needed; otherwise another one is made. To be called before the run.
-- `run`: of scenario:prepare.
function expectations.begin(run, wanted)
  local paths = distinct(wanted.paths)
  local log = run.log and has_all(run.log, paths) and run.log or require("saltus.output.log").new(run.sim, paths)
  local followers = names.map(wanted.trees, function(tree, i) return follower.new(tree, wanted.found[i], log) end)
  return setmetatable({ log = log, wanted = wanted, start = run.start, followers = followers }, Expectations)
end

-- To be called while the run goes on. Returns a sentence for each formula that is certain to fail since the last call.
-- What cannot be read then, the check after the run tells.
function Expectations:news()
  local out = {}
  if self.log.time[1] ~= self.start then return out end
  for i, one in ipairs(self.followers) do
    local ok, failed = pcall(one.look, one)
    one.is_decided = one.is_decided or not ok
    if ok and failed then
      out[#out + 1] = ("%s at t = %s, and the run continues: %s"):format(one.always and "fails" or "is certain to fail",
        explanation.time_text(failed), self.wanted.trees[i].text)
    end
  end
  return out
end

-- What saltus.formula.check returns, for each formula.
function Expectations:results()
  local first = self.log.time[1]
  names.fail_if(first and first > self.start,
    "the run was resumed at t = %s, so its earlier part cannot be checked; check the whole run", names.show(first))
  return names.map(self.wanted.trees, function(tree)
    return check.new(self.log, tree, { functions = self.wanted.functions })
  end)
end

return expectations
