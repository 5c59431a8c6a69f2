-- The command `saltus` as a line for the shell, to start it again in other processes.
local core = require "saltus.core"
local names = require "saltus.util.names"

local own_command = {}

function own_command.quoted(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

-- The line that runs `saltus` with these arguments; `what` needs it. arguments[0]: the program, where the system does
-- not say it.
function own_command.line(arguments, what)
  local program = core.process.executable() or arguments[0]
  names.fail_if(not program, "%s: this program does not know its own file", what)
  local words = { own_command.quoted(program) }
  if program:find "lua[%d.]*$" then
    words[2] = "-e 'os.exit(require([[saltus.cli.main]]).main(arg), true)' /dev/null"
  end
  for i = 1, #arguments do words[#words + 1] = own_command.quoted(arguments[i]) end
  return table.concat(words, " ")
end

return own_command
