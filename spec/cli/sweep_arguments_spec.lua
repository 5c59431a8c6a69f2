-- Mirrors lua/saltus/cli/sweep_arguments.lua: the files of values that a sweep reads.
local commands = require "spec.support.command"
local sweep_arguments = require "saltus.cli.sweep_arguments"

local at

setup(function() at = commands.new() end)
teardown(function() at:remove() end)

local function cases(text) return sweep_arguments.read({}, { cases = at:write("cases.csv", text) }).params end

describe("a file of cases", function()
  it("may begin with a byte order mark, and have spaces around its names", function()
    local expected = { { u = 1, ["k[1]"] = "on" }, { u = 2, ["k[1]"] = "true" } }
    assert.same(expected, cases "u,k[1]\n1,on\n2,true\n")
    assert.same(expected, cases "\xEF\xBB\xBFu, k[1]\r\n1,on\r\n\r\n# a comment\r\n2,true")
    assert.same({ { u = "a,b" } }, cases 'u\n"a,b"\n')
  end)

  it("is refused where it is not clear what is meant", function()
    for text, message in pairs { ["u,k,u\n1,2,3\n"] = '"u" is in the line of names twice',
      ["u;k[1]\n1;2\n"] = "a comma must be between two names, not a semicolon",
      ['u,k\n1,"a\nb"\n'] = 'the quoted text in "1,\\"a" does not end in its line',
      ["u,k\n1\n"] = "case 1 has 1 values, but there are 2 names", ["u\n"] = "there are no cases" } do
      local ok, wrong = pcall(cases, text)
      assert.is_false(ok)
      assert.truthy(wrong.message:find(at.folder .. "/cases.csv: " .. message, 1, true), wrong.message)
    end
    local _, wrong = pcall(sweep_arguments.read, {}, { cases = at.folder })
    assert.equal(("--cases: %s: Is a directory"):format(at.folder), wrong.message)
  end)
end)
