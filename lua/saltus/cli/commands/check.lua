-- saltus check FILE
local complaint = require "saltus.cli.complaint"
local lint = require "saltus.cli.lint"
local model_file = require "saltus.cli.model_file"
local numerals = require "saltus.util.numerals"
local scenario = require "saltus.simulation.scenario"

-- The paths in the log of a scenario.
local function logged_by(s)
  local out = {}
  for _, path in ipairs(type(s.log) == "table" and s.log or {}) do
    if type(path) == "string" then out[#out + 1] = path:gsub("%[%d+%]$", "") end
  end
  return out
end

local function check(args)
  local result, m = model_file.model(args.file)
  complaint.say(tostring(m))
  if #m.parts > 1 then
    for _, part_system in ipairs(m:systems()) do complaint.say("\n" .. tostring(part_system)) end
  end
  if scenario.is(result) and result.duration then
    complaint.say(numerals.format("duration %.10g s", result.duration))
  end
  local is_scenario = scenario.is(result)
  for _, warning in ipairs(lint.of(m, is_scenario and logged_by(result), is_scenario and result.story)) do
    complaint.aloud("warning", warning)
  end
  return complaint.SUCCESS
end

return {
  name = "check", doc = "Load a file without running it; list its systems, states and events.",
  arguments = { model_file.model_argument },
  run = check,
}
