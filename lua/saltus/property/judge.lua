-- What `holds` is: a function, or formulas, which read each run closely only where a case has failed.
local emits = require "saltus.story.emits"
local names = require "saltus.util.names"
local scenario = require "saltus.simulation.scenario"

local judge = {}

local PIECES = 4 -- points of a step at which a formula is read, besides turning points: a seventh of the time of 64

-- A function of a run: the first formula that does not hold, else the one with the smallest margin.
local function check_with(trees, functions, pieces)
  local check = require("saltus.formula").check
  return function(run)
    local least
    for _, tree in ipairs(trees) do
      local result = check(run, tree, { functions = functions, pieces = pieces })
      if not result.holds then return result end
      if not least or result.margin < least.margin then least = result end
    end
    return least
  end
end

-- The paths that formulas read, as a log.
local function log_of(trees, s, functions)
  if not scenario.is(s) then return {} end
  local out, seen, emitted = {}, {}, emits.of_story(s.story)
  for _, tree in ipairs(trees) do
    local found = require("saltus.formula.meaning").of(tree, s.model, functions, { emits = emitted })
    for _, path in ipairs(require("saltus.formula.check").paths(tree, found)) do
      if not seen[path] then out[#out + 1] = path end
      seen[path] = true
    end
  end
  return out
end

local function words_of(trees) return names.map(trees, tostring) end

local function of_trees(trees, functions, def, s)
  return { words = words_of(trees), quickly = check_with(trees, functions, PIECES),
    closely = check_with(trees, functions) }, def.log or log_of(trees, s, functions)
end

-- What is true of a run without `holds`: what its scenario expects of it.
local function as_expected(run)
  for _, result in ipairs(rawget(run, "expects") or {}) do
    if not result.holds then return result end
  end
end

-- Returns { quickly =, closely =, words = }, functions of a run as `holds` describes them and the formulas, and what a
-- run records. s: the scenario, a function that builds it, or nil
function judge.of(def, s, what)
  local holds = def.holds
  local expects = holds == nil and scenario.is(s) and s.expects
  if expects then return of_trees(expects.trees, expects.functions, def, s) end
  if type(holds) == "string" or type(holds) == "table" and require("saltus.formula.grammar").is_tree(holds) then
    names.fail_if(s == nil, "%s: a formula needs a scenario; without one, holds is a function(values)", what)
    local tree = type(holds) == "string" and require("saltus.formula").parse(holds) or holds
    return of_trees({ tree }, def.functions, def, s)
  end
  names.check_type(holds, "function", "%s: holds must be a formula in words or a function(run)", what)
  holds = holds or (s and as_expected or function() end)
  return { quickly = holds, closely = holds }, s ~= nil and def.holds ~= nil and {} or false
end

return judge
