-- argparse's parsers, made from tables.
--
-- An option: { name = "--csv" or "-q --quiet", doc =, argname = "FILE" (none: a flag), read = function(text) that
-- returns the value or nil and an error, many = true (repeatable) }. An argument: { name = "file", argname = "FILE",
-- doc =, optional = true, many = true }.
local argparse = require "saltus.cli.vendor.argparse"
local arguments = require "saltus.cli.arguments"
local complaint = require "saltus.cli.complaint"

local parser = {}

-- The name of an option's value among the parsed arguments: "--max-step" is max_step.
function parser.key(option)
  local name = option.name:match "%-%-([%w-]+)" or option.name:match "%w+"
  return (name:gsub("-", "_"))
end

-- The name of an option in messages.
function parser.long_name(option) return option.name:match "%-%-[%w-]+" or option.name end

local function add_option(command, option)
  if not option.argname then return command:flag(option.name, option.doc) end
  local o = command:option(option.name, option.doc):argname(option.argname)
  if option.read then o:convert(option.read) end
  if option.many then o:count "*" end
end

local function add_argument(command, argument)
  local a = command:argument(argument.name, argument.doc):argname(argument.argname)
  if argument.optional or argument.many then
    a:args(argument.optional and argument.many and "*" or argument.many and "+" or "?")
  end
end

local function fill(command, entry)
  for _, argument in ipairs(entry.arguments or {}) do add_argument(command, argument) end
  for _, option in ipairs(entry.options or {}) do add_option(command, option) end
end

-- The parser of `saltus`; returns it, and the parser of each command by name.
function parser.of_commands(commands)
  local top, by_name = argparse("saltus", "Simulation of hybrid systems: state that flows and state that jumps."), {}
  top:require_command(false):command_target "command"
  top:flag("-v --version", "Print the version.")
  for _, entry in ipairs(commands) do
    by_name[entry.name] = top:command(entry.name, entry.doc)
    fill(by_name[entry.name], entry)
  end
  return top, by_name
end

-- The parser of a scenario that runs itself.
function parser.of_program(name, options)
  local top = argparse(name, "Runs this scenario.")
  fill(top, { options = options })
  return top
end

function parser.parse(of, list)
  local ok, result = of:pparse(arguments.joined(list))
  if not ok then complaint.raise(complaint.USAGE, "%s\n%s", result, "try 'saltus --help'") end
  return result
end

return parser
