-- --profile: what a run cost: by closure, by variable that limited the steps, by time, and in memory.
local complaint = require "saltus.cli.complaint"
local log_columns = require "saltus.output.log_columns"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local process = require("saltus.core").process

local BINS = 16

-- ---- where the steps go ----

local function new_bins(run)
  local bins = { start = run.start, width = (run.stop - run.start) / BINS, steps = 0, rejected = 0 }
  for i = 1, BINS do bins[i] = { steps = 0, rejected = 0, smallest = math.huge } end
  return bins
end

-- Counts the steps since the last call in the bin of `time`.
local function count_steps(bins, sim, time)
  local stats = sim.core:stats()
  local i = bins.width > 0 and math.ceil((time - bins.start) / bins.width) or 1
  local bin = bins[math.max(1, math.min(BINS, i))]
  bin.steps = bin.steps + stats.steps - bins.steps
  bin.rejected = bin.rejected + stats.rejected_steps - bins.rejected
  bin.smallest = math.min(bin.smallest, sim.core:integrator().previous_integration_step_size)
  bins.steps, bins.rejected = stats.steps, stats.rejected_steps
end

local function say_steps(bins)
  local most = 1
  for i = 1, BINS do most = math.max(most, bins[i].steps) end
  complaint.say("\n  where the steps go\n  " .. ("%14s  %8s  %8s  %14s"):format("until t [s]", "steps", "rejected",
    "smallest [s]"))
  for i = 1, BINS do
    local bin = bins[i]
    local smallest = bin.steps > 0 and numerals.format("%.3g", bin.smallest) or ""
    complaint.say(numerals.format("  %14.6g  %8d  %8d  %14s  %s", bins.start + i * bins.width, bin.steps, bin.rejected,
      smallest, ("█"):rep(math.ceil(24 * bin.steps / most))))
  end
end

-- ---- closures ----

-- The closures that were called, the most expensive first.
local function costs_of(sim)
  local list = {}
  for _, c in ipairs(sim:programs()) do if c.calls > 0 then list[#list + 1] = c end end
  table.sort(list, function(a, b) return a.seconds > b.seconds end)
  return list
end

local function say_closures(sim, elapsed)
  local list, width = costs_of(sim), 7
  for _, c in ipairs(list) do width = math.max(width, #c.closure) end
  complaint.say("\n  " .. names.padded("closure", width) .. ("  %-8s  %10s  %10s  %9s  %7s"):format("runs as", "calls",
    "ms", "us a call", "of run"))
  for _, c in ipairs(list) do
    complaint.say("  " .. names.padded(c.closure, width) .. numerals.format("  %-8s  %10d  %10.3f  %9.3f  %5.1f %%",
      c.state, c.calls, 1e3 * c.seconds, 1e6 * c.seconds / c.calls, elapsed > 0 and 100 * c.seconds / elapsed or 0))
  end
  if not list[1] then complaint.say "  (no closure was called: the blocks are C)" end
  complaint.say "  The time of a closure includes that of the outputs which it reads, and of measuring it."
end

-- ---- variables and memory ----

local function say_limits(sim)
  local counts, list = sim.core:limited(), {}
  for i, element in ipairs(sim.model:state_elements()) do
    if counts[i] > 0 then
      list[#list + 1] = { name = names.join(sim.model.parts[element.part].path, element.name), count = counts[i] }
    end
  end
  table.sort(list, function(a, b) return a.count > b.count end)
  complaint.say "\n  states that limit the steps"
  for i = 1, math.min(#list, 8) do complaint.say(("  %8d  %s"):format(list[i].count, list[i].name)) end
  if not list[1] then complaint.say "  (none: max_step, events or the end limited them)" end
end

local function megabytes(bytes) return numerals.format("%.1f MB", bytes / 2 ^ 20) end

local function say_memory(run)
  local peak, lua = process.peak_memory(), 1024 * collectgarbage "count"
  local rows = run.log and #log_columns.inner_of(run.log).rec.rec:save() or 0
  complaint.say(("\n  memory: %s at most, %s of it Lua, %s the log; a saved state has %d bytes"):format(megabytes(peak),
    megabytes(lua), megabytes(rows), #run.sim:save()))
end

return {
  name = "--profile", doc = "Print the cost of each closure, the states that limit steps, where steps go, and memory.",
  apply = function(changes) changes.profile = true end,
  before = function(run)
    run.bins, run.progress_every = new_bins(run), 1
  end,
  progress = function(run, _, time) count_steps(run.bins, run.sim, time) end,
  after = function(run)
    say_closures(run.sim, run.elapsed)
    say_limits(run.sim)
    say_steps(run.bins)
    say_memory(run)
  end,
}
