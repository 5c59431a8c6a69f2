-- saltus man: prints the man page, from the tables of commands, options and exit statuses.
local complaint = require "saltus.cli.complaint"

local function escape(text) return (text:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("\n([.'])", "\n\\&%1")) end

local function bold(text) return "\\fB" .. escape(text) .. "\\fR" end

local function italic(text) return "\\fI" .. escape(text) .. "\\fR" end

local function add_option(lines, option)
  local names = {}
  for name in option.name:gmatch "%S+" do names[#names + 1] = bold(name) end
  lines[#lines + 1] = ".TP"
  lines[#lines + 1] = table.concat(names, ", ") .. (option.argname and " " .. italic(option.argname) or "")
  lines[#lines + 1] = escape(option.doc)
end

local function add_command(lines, command)
  local usage = { bold("saltus " .. command.name) }
  if command.options then usage[#usage + 1] = "[" .. italic "OPTIONS" .. "]" end
  for _, argument in ipairs(command.arguments or {}) do
    local name = italic(argument.name:upper()) .. (argument.many and " ..." or "")
    usage[#usage + 1] = argument.optional and "[" .. name .. "]" or name
  end
  lines[#lines + 1] = ".SS " .. table.concat(usage, " ")
  lines[#lines + 1] = escape(command.doc)
  for _, argument in ipairs(command.arguments or {}) do
    add_option(lines, { name = argument.name:upper(), doc = argument.doc })
  end
  for _, option in ipairs(command.options or {}) do add_option(lines, option) end
end

local function man(_, program)
  local lines = { ('.TH SALTUS 1 "" "saltus %s"'):format(require("saltus.core").version), ".SH NAME",
    "saltus \\- simulation of hybrid systems: state that flows and state that jumps", ".SH SYNOPSIS",
    bold "saltus" .. " " .. italic "COMMAND" .. " [" .. italic "OPTIONS" .. "] [" .. italic "ARGUMENTS" .. "]",
    ".SH COMMANDS" }
  for _, command in ipairs(program.commands) do add_command(lines, command) end
  lines[#lines + 1] = ".SH EXIT STATUS"
  for _, row in ipairs(require "saltus.cli.exit_status") do add_option(lines, { name = row[1], doc = row[2] }) end
  lines[#lines + 1] = ".SH SEE ALSO\n" .. bold "saltus help" .. " " .. italic "WORD" .. " and " .. bold "saltus doc"
    .. " " .. italic "WORD" .. " explain models, options and blocks."
  io.stdout:write(table.concat(lines, "\n"), "\n")
  return complaint.SUCCESS
end

return { name = "man", doc = "Print the man page: saltus man | man -l -", run = man }
