-- argparse's parsers, made from tables.
--
-- An option: { name = "--csv" or "-q --quiet", doc =, argname = "FILE" (none: a flag), read = function(text) that
-- returns the value or nil and an error, many = true (repeatable) }. An argument: { name = "file", doc =,
-- optional = true, many = true }; help shows FILE. takes_any_words = true: words that look like options are arguments.
-- hidden_options: for processes that a command starts; no help names them.
local argparse = require "saltus.cli.vendor.argparse"
local arguments = require "saltus.cli.arguments"
local complaint = require "saltus.cli.complaint"
local names = require "saltus.util.names"

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
  return o
end

local function add_argument(command, argument)
  local a = command:argument(argument.name, argument.doc):argname(argument.name:upper())
  if argument.optional or argument.many then
    a:args(argument.optional and argument.many and "*" or argument.many and "+" or "?")
  end
end

local function fill(command, entry)
  if entry.takes_any_words then command:handle_options(false) end
  for _, argument in ipairs(entry.arguments or {}) do add_argument(command, argument) end
  for _, option in ipairs(entry.options or {}) do add_option(command, option) end
  for _, option in ipairs(entry.hidden_options or {}) do add_option(command, option):hidden(true) end
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

-- ---- mistakes ----

-- The names of options without dashes, as the tables of synonyms have them: max_step.
local function option_keys(options)
  local keys = { "help" }
  for _, option in ipairs(options) do keys[#keys + 1] = parser.key(option) end
  return keys
end

local function unknown_option(word, options)
  local near = names.near(word:gsub("^%-+", ""):gsub("-", "_"), option_keys(options))
  return ("unknown option '%s'%s"):format(word, near and ("; did you mean --%s?"):format(near:gsub("_", "-")) or "")
end

-- A command that does not exist may be an option of one that does: saltus plot is saltus run FILE --plot.
local function unknown_command(word, commands)
  for _, command in ipairs(commands) do
    for _, option in ipairs(command.options or {}) do
      if parser.long_name(option) == "--" .. word then
        local value = option.argname and " " .. option.argname or ""
        return ("unknown command '%s'; it is an option: saltus %s FILE --%s%s"):format(word, command.name, word, value)
      end
    end
  end
  return names.unknown("command", word, names.of(commands))
end

-- The command's own message where argparse's has no near name. `about`: { commands = } or { options = }.
local function message_of(wrong, list, about)
  local option = wrong:match "^unknown option '([^'\n]*)'"
  if option then
    for _, command in ipairs(about.commands or {}) do
      if command.name == list[1] then return unknown_option(option, command.options or {}) end
    end
    return unknown_option(option, about.options or {})
  end
  local command = about.commands and wrong:match "^unknown command '([^\n]*)'"
  return command and unknown_command(command, about.commands) or wrong
end

function parser.parse(of, list, about)
  local ok, result = of:pparse(arguments.joined(list))
  if ok then return result end
  local command = about.commands and names.index_of(names.of(about.commands), list[1]) and " " .. list[1] or ""
  return complaint.raise(complaint.USAGE, "%s\n%s", message_of(result, list, about),
    about.commands and ("try 'saltus help%s'"):format(command) or "try --help")
end

return parser
