-- holds: whether a formula in words holds over a run.
local evidence = require "saltus.testing.evidence"
local formula = require "saltus.formula"
local names = require "saltus.util.names"

local formula_over_run = {}

local OTHERS = 6 -- signals that the formula does not decide by

-- "  also speed = 3, mode = flying": the other signals at the time that decides; nil if there is none.
local function others_line(verdict)
  local shown, list = {}, {}
  for _, value in ipairs(verdict.values) do shown[value.name] = true end
  for _, name in ipairs(evidence.plottable(verdict.log)) do
    if not shown[name] and #list < OTHERS then list[#list + 1] = name end
  end
  local log, t = verdict.log, verdict.time
  if not list[1] or t < log.time[1] or t > log.time[#log.time] then return nil end
  return "  also " .. evidence.values(log, list, t)
end

local function text_of(verdict)
  local lines = { verdict.text }
  lines[2] = others_line(verdict)
  lines[#lines + 1] = "\n" .. evidence.plot_verdict(verdict)
  return table.concat(lines, "\n")
end

-- Returns whether it holds, a function that returns the text for each side, and whether the run was too short to say.
function formula_over_run.holds(run, words, options)
  names.fail_if(words == nil, "holds: the second argument is a formula like \"always height > 0\"")
  local verdict = formula.check(run, words, options)
  return verdict.holds, function() return text_of(verdict) end, not verdict.decided
end

return formula_over_run
