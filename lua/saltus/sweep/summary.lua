-- The text at the end of a sweep: how many runs, what failed, statistics of what was measured.
local names = require "saltus.util.names"
local statistics = require "saltus.sweep.statistics"

local summary = {}

local MOST_ERRORS = 5

local function plural(count, word) return ("%d %s%s"):format(count, word, count == 1 and "" or "s") end

-- "shard 2 of 7 (from 0 to 6; Open MPI ...)"; nil without shards.
function summary.shard_text(shard)
  if shard.count == 1 and not shard.source then return nil end
  return ("shard %d/%d, by %s"):format(shard.index, shard.count, shard.source)
end

local function head(sweep)
  local text = ("%s: %s, seed %d"):format(sweep.def.scenario.model.name, plural(sweep.count, "run"), sweep.design.seed)
  if (sweep.resumed or 0) > 0 then text = text .. (", %d of them from the file"):format(sweep.resumed) end
  local of_shard = summary.shard_text(sweep.shard)
  return of_shard and text .. ", " .. of_shard or text
end

local function errors(sweep)
  local lines = { ("  %s failed:"):format(plural(sweep.failures, "run")) }
  local list = statistics.counts(sweep.data.error, sweep.count)
  for i = 1, math.min(#list, MOST_ERRORS) do
    lines[#lines + 1] = ("  %6d x %s"):format(list[i].count, list[i].text)
  end
  if #list > MOST_ERRORS then lines[#lines + 1] = ("  and %d other errors"):format(#list - MOST_ERRORS) end
  return lines
end

function summary.text(sweep)
  local lines = { head(sweep) }
  if #sweep.measured > 0 and sweep.count > sweep.failures then
    lines[#lines + 1] = statistics.text(sweep.measured, sweep.data, sweep.count)
  end
  if sweep.failures > 0 then lines = names.joined(lines, errors(sweep)) end
  local run = sweep.runner
  if run.warning_count > 0 then
    lines[#lines + 1] = ("  %s warned; the first: %s"):format(plural(run.warning_count, "run"), run.first_warning)
  end
  return table.concat(lines, "\n")
end

return summary
