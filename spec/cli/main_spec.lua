-- Mirrors lua/saltus/cli/main.lua: the version, the help, and command lines that are wrong.
local command = require "spec.support.command"
local models = require "spec.support.model_files"

local at

setup(function() at = command.new(models) end)

teardown(function() at:remove() end)

local function saltus(...) return at:saltus(...) end

describe("saltus", function()
  it("prints its version and its help", function()
    assert.same({ 0, "saltus 0.1.0\n", "" }, { saltus "--version" })
    local status, out = saltus("help", "simulator")
    assert.equal(0, status)
    assert.matches("integrator +auto", out)
    status, out = saltus "help"
    assert.equal(0, status)
    assert.matches("\nTopics, .*\n   system +a model: .*\n   log  .*\n   blocks +ready%-made systems", out)
    assert.equal(0, (saltus("help", "run")))
    for _, word in ipairs { "log", "event", "saltus.diagram", "integrators", "blocks", "blocks.pid", "pid" } do
      status, out = saltus("help", word)
      assert.equal(0, status, word)
      assert.is_true(#out > 200, word)
    end
  end)

  it("returns 2 for a wrong command line", function()
    for _, words in ipairs { {}, { "rum" }, { "run" }, { "run", "x.lua", "--duration", "long" },
      { "run", "x.lua", "--set", "restitution" }, { "run", "x.lua", "--sed", "1" }, { "help", "simulater" } } do
      local status, out, err = saltus(table.unpack(words))
      assert.equal(2, status, table.concat(words, " "))
      assert.equal("", out)
      assert.truthy(#err > 0)
    end
    assert.matches("%-%-duration must be a number, got 'long'", (select(3, saltus("run", "x", "--duration", "long"))))
    assert.matches("%-%-duration must be a finite number of seconds, not negative, got '%-1'",
      (select(3, saltus("run", "x", "--duration", "-1"))))
    assert.matches('^saltus: unknown word "zzzz" in the help\n', (select(3, saltus("help", "zzzz"))))
    assert.matches("must end in .html or .svg",
      (select(3, saltus("run", at:path "ball.lua", "--plot", "ball.png"))))
  end)
end)
