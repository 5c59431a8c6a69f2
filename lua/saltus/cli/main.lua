-- The command line: saltus COMMAND ARGUMENTS, and scenario files that run themselves under lua5.4.
local commands = require "saltus.cli.commands"
local complaint = require "saltus.cli.complaint"
local interruption = require "saltus.cli.interruption"
local parser = require "saltus.cli.parser"
local run_options = require "saltus.cli.run_options"
local scenario_run = require "saltus.cli.scenario_run"

local cli = {}

local function dispatch(arguments)
  local top, parsers = parser.of_commands(commands)
  local args = parser.parse(top, arguments, { commands = commands })
  if args.version then
    complaint.say("saltus " .. require("saltus.core").version)
    return complaint.SUCCESS
  end
  for _, command in ipairs(commands) do
    if command.name == args.command then
      return command.run(args, { parser = top, parsers = parsers, commands = commands, arguments = arguments })
    end
  end
  io.stderr:write(top:get_help(), "\n")
  return complaint.USAGE
end

-- Runs `action` and returns its exit status; after an error, prints it and returns the error's status.
local function guarded(action)
  local ok, result = pcall(action)
  local caught = interruption.caught()
  if ok and not caught and interruption.hosted then return result end -- the host reports errors of standard output
  local flushed, why = io.stdout:flush()
  if ok and not caught then
    if flushed then return result end
    result = complaint.new { code = complaint.FAILED, message = "cannot write to standard output: " .. why }
  end
  local expected = complaint.is(result)
  local message = expected and result.message or complaint.message_of(result)
  if caught and not (expected and result.interrupted) then message = "interrupted" end
  local is_reported = caught and require("saltus.sweep.workers").is_worker() -- by the first process of the sweep
  if not is_reported then complaint.aloud("saltus", message) end
  return caught and caught.code or expected and result.code or complaint.FAILED
end

-- saltus ARGUMENTS: returns the exit status.
function cli.main(arguments)
  return guarded(function() return dispatch(arguments) end)
end

-- lua5.4 FILE ARGUMENTS: the file's scenario runs itself, with the options of `saltus run`.
function cli.run_program(s, arguments)
  return guarded(function()
    s.file = arguments and arguments[0]
    local args = {}
    if arguments and arguments[1] then
      local top = parser.of_program(arguments[0] or "scenario", run_options)
      args = parser.parse(top, arguments, { options = run_options })
    end
    return scenario_run.run(args, function() return s end)
  end)
end

return cli
