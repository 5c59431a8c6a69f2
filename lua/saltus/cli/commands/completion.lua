-- saltus completion SHELL: prints a script that completes commands and options.
local complaint = require "saltus.cli.complaint"
local names = require "saltus.util.names"

local shells = { "bash", "zsh", "fish" }

local function completion(args, program)
  if not names.index_of(shells, args.shell) then
    complaint.raise(complaint.USAGE, "%s", names.unknown("shell", args.shell, shells))
  end
  io.stdout:write(program.parser[("get_%s_complete"):format(args.shell)](program.parser))
  return complaint.SUCCESS
end

return {
  name = "completion", doc = "Print a script that completes commands and options, for bash, zsh or fish.",
  arguments = { { name = "shell", doc = "bash, zsh or fish." } },
  run = completion,
}
