-- holds: whether a formula in words holds over a run.
local evidence = require "saltus.testing.evidence"
local formula = require "saltus.formula"
local names = require "saltus.util.names"
local subject = require "saltus.testing.subject"

local formula_over_run = {}

local OTHERS = 6 -- signals that the formula does not decide by

-- A scenario was run with a log of what the formula reads: the same run again has the other signals.
local function whole_log(verdict, run)
  return names.kind(run) == "scenario" and run:run({ log = {} }).log or verdict.log
end

-- "  also speed = 3, mode = flying": the other signals at the time that decides; nil if there is none.
local function others_line(verdict, log)
  local shown, list = {}, {}
  for _, value in ipairs(verdict.values) do shown[value.name] = true end
  for _, name in ipairs(evidence.plottable(log)) do
    if not shown[name] and #list < OTHERS then list[#list + 1] = name end
  end
  local t = verdict.time
  if not list[1] or t < log.time[1] or t > log.time[#log.time] then return nil end
  return "  also " .. evidence.values(log, list, t)
end

local function text_of(verdict, run)
  local lines = { verdict.text }
  lines[2] = others_line(verdict, whole_log(verdict, run))
  lines[#lines + 1] = "\n" .. evidence.plot_verdict(verdict)
  return table.concat(lines, "\n")
end

-- The same of all that a run is expected to fulfil: the texts of those that fail, or of all.
local function of_expectations(run)
  local list = subject.run(run, "holds").expects
  names.fail_if(not list or not list[1], "holds: the second argument is a formula like \"always height > 0\"; without "
    .. "one, the scenario needs the field expects")
  local fails, is_open, texts = false, false, {}
  for _, verdict in ipairs(list) do
    fails, is_open = fails or verdict.decided and not verdict.holds, is_open or not verdict.decided
  end
  return not fails and not is_open, function()
    for _, verdict in ipairs(list) do
      if not (fails or is_open) or not verdict.holds then texts[#texts + 1] = text_of(verdict, run) end
    end
    return table.concat(texts, "\n")
  end, is_open and not fails
end

-- Returns whether it holds, a function that returns the text for each side, and whether the run was too short to say.
-- Without words, the formulas of the scenario's field expects.
function formula_over_run.holds(run, words, options)
  if words == nil then return of_expectations(run) end
  local verdict = formula.check(run, words, options)
  return verdict.holds, function() return text_of(verdict, run) end, not verdict.decided
end

return formula_over_run
