-- The commands of `saltus`, in the order of its help. Each is a file of this folder that returns { name =, doc =,
-- arguments =, options = (see saltus.cli.parser), run = function(args, program) }: run returns the exit status;
-- program has `parser`, `parsers` (by command), `commands` and `arguments`, the words after `saltus`.
local order = {
  "new",
  "run",
  "sweep",
  "live",
  "test",
  "check",
  "graph",
  "diff",
  "repl",
  "types",
  "env",
  "completion",
  "man",
  "doc",
  "help",
}

local commands = {}
for i, name in ipairs(order) do commands[i] = require("saltus.cli.commands." .. name) end
return commands
