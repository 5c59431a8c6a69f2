-- Formulas: conditions in words over one instant, and over whole runs.
--
--   formula.parse(text)                    a tree; tostring(tree) is its text
--   formula.condition(words, system)       a function(ctx) that returns a margin
--   formula.check(run, words)              whether it holds over a run: { holds =, margin =, time =, text =, ... }
--   formula.always("height > 0", { 0, 5 }) the same tree by functions
local grammar = require "saltus.formula.grammar"
local names = require "saltus.util.names"

local formula = { parse = grammar.parse }

-- Loaded at first use.
function formula.condition(words, system, functions)
  return require("saltus.formula.condition").new(words, system, functions)
end

function formula.monitor(words, sim, functions)
  return require("saltus.formula.monitor").new(words, sim, functions)
end

function formula.check(subject, words, options) return require("saltus.formula.check").new(subject, words, options) end

for name, make in pairs(require "saltus.formula.constructors") do formula[name] = make end

return names.closed(formula, "saltus.formula")
