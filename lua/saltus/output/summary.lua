-- The summary at the end of a run: why it ended, its cost, its events.
local log_columns = require "saltus.output.log_columns"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local run_card = require "saltus.output.run_card"
local variable = require "saltus.model.variable"

local summary = {}

local counters = { "steps", "rejected_steps", "derivative_evaluations", "publishes", "discrete_updates",
  "unrestricted_updates", "witness_evaluations", "isolations" }

local function plain(number) return numerals.format("%.10g", number) end

-- One line: "ball: reached 6 s in 0.01 s, 600 x real time".
function summary.ending(name, status, start, elapsed)
  local rate = elapsed > 0 and numerals.format("%.3g s, %.3g x real time", elapsed, (status.time - start) / elapsed) or
    numerals.format("%.3g s", elapsed)
  if status.reason == "interrupted" then
    return ("%s: interrupted at %s s (%s)"):format(name, plain(status.time), rate)
  elseif status.reason == "reached_formula" then
    return ("%s: reached %s s, where %s (%s)"):format(name, plain(status.time), status.message, rate)
  elseif status.reason ~= "reached_termination" then
    return ("%s: reached %s s in %s"):format(name, plain(status.time), rate)
  end
  local by = status.system and status.system ~= "" and (" by %s"):format(status.system) or ""
  if status.event and status.event ~= "" then by = (" in %s%s"):format(status.event, by:gsub("^ by", " of")) end
  local why = status.message and status.message ~= "" and ": " .. status.message or ""
  return ("%s: terminated at %s s%s%s (%s)"):format(name, plain(status.time), by, why, rate)
end

-- Counters, two in a line.
function summary.statistics(stats)
  local items, lines = {}, {}
  for i, key in ipairs(counters) do items[i] = ("%-24s%12d"):format(key:gsub("_", " "), stats[key]) end
  for i = 1, #items, 2 do lines[#lines + 1] = "  " .. items[i] .. (items[i + 1] and "    " .. items[i + 1] or "") end
  return table.concat(lines, "\n")
end

-- "  set gain = 2, mass = 3": what --set and --set-file changed; nil if nothing.
function summary.changes(sim)
  local text = run_card.changes_text(run_card.of(sim))
  return text ~= "" and "  set " .. text or nil
end

local STATES = { "q", "v", "z", "discrete" }
local MOST_STATES = 12

local function state_value(value)
  if type(value) == "number" then return numerals.format("%.6g", value) end
  return type(value) == "table" and numerals.list("%.6g", value) or tostring(value)
end

-- "the state at t = 0.5: height = 1, mode = falling": for the error of a failed run; nil without a state.
function summary.state(sim)
  local paths = sim.model:all_paths(function(system) return variable.in_ctx(system, STATES) end)
  local items = {}
  for i = 1, math.min(#paths, MOST_STATES) do
    items[i] = ("%s = %s"):format(paths[i], state_value(sim.context[paths[i]]))
  end
  if #paths > MOST_STATES then items[#items + 1] = ("and %d more"):format(#paths - MOST_STATES) end
  return #items > 0 and numerals.format("the state at t = %t: %s", sim.context.time, table.concat(items, ", ")) or nil
end

-- "  seed 7: 12 random numbers"; nil if the run drew none.
function summary.seed(sim)
  local drawn = run_card.draws(sim)
  if drawn == 0 then return nil end
  return ("  seed %d: %d random number%s drawn; --seed chooses another"):format(sim.options.seed, drawn,
    drawn == 1 and "" or "s")
end

-- A table of the events that fired: name, how often, first and last time.
function summary.events(log)
  local list, width = log_columns.events(log), 5
  if #list == 0 then return "" end
  for _, e in ipairs(list) do width = math.max(width, #e.name) end
  local row = "  %s  %8s  %14s  %14s"
  local lines = { row:format(names.padded("event", width), "times", "first [s]", "last [s]") }
  for _, e in ipairs(list) do
    lines[#lines + 1] = row:format(names.padded(e.name, width), plain(#e.times), plain(e.times[1]),
      plain(e.times[#e.times]))
  end
  return table.concat(lines, "\n")
end

return summary
