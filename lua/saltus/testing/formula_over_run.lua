-- holds: whether a formula in words holds over a run.
local evidence = require "saltus.testing.evidence"
local formula = require "saltus.formula"
local names = require "saltus.util.names"

local formula_over_run = {}

-- Returns whether it holds, a function that returns the text for each side, and whether the run was too short to say.
function formula_over_run.holds(run, words, options)
  names.fail_if(words == nil, "holds: the second argument is a formula like \"always height > 0\"")
  local verdict = formula.check(run, words, options)
  local is_open = not verdict.decided
  return verdict.holds, function() return verdict.text .. "\n\n" .. evidence.plot_verdict(verdict) end, is_open
end

return formula_over_run
