-- What an assertion is about: a log, the result of a run, or a scenario, which then runs.
local log_columns = require "saltus.output.log_columns"
local names = require "saltus.util.names"

local subject = {}

local function is_result(value) return type(value) == "table" and names.kind(rawget(value, "sim")) == "simulator" end

local function is_log(value) return names.kind(value) == "log" end

-- Returns { log =, sim = } of any of them; `who` is the assertion.
function subject.run(value, who)
  if names.kind(value) == "scenario" then value = value:run() end
  if is_log(value) then return { log = value, sim = log_columns.inner_of(value).sim } end
  if is_result(value) then return value end
  return names.fail("%s takes a log, the result of a run or a scenario, got %s", who, names.show(value))
end

function subject.log(value, who)
  local log = subject.run(value, who).log
  if not log then names.fail("%s: this run has no log (log = false)", who) end
  if #log.time == 0 then names.fail("%s: nothing was logged yet", who) end
  return log
end

return subject
