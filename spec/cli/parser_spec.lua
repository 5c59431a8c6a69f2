-- Mirrors lua/saltus/cli/parser.lua.
local parser = require "saltus.cli.parser"

local weigh = { name = "weigh", doc = "Weigh a file.", arguments = { { name = "file", doc = "What is weighed." } } }

describe("an argument of a command", function()
  it("needs no more than a name and a text; the usage shows the name in capitals", function()
    local top, parsers = parser.of_commands { weigh }
    assert.equal("ball.lua", parser.parse(top, { "weigh", "ball.lua" }, { commands = { weigh } }).file)
    assert.matches("^Usage: saltus weigh %[%-h%] FILE\n", parsers.weigh:get_help())
  end)
end)
