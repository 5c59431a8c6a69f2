-- Mirrors lua/saltus/cli/terminal_display.lua: what --live writes, with a clock and a terminal of the spec's own.
local saltus = require "saltus"
local terminal_display = require "saltus.cli.terminal_display"

describe("the plot of --live", function()
  local now, written, sim, display

  before_each(function()
    now, written = 0, {}
    sim = saltus.simulator(saltus.system { name = "decay", z = { { "x", 1 } },
      derivatives = function(ctx, dot) dot.x = -ctx.x end }, { max_step = 0.1 })
    display = terminal_display.new { log = saltus.log(sim), start = 0, stop = 4, clock = function() return now end,
      write = function(text) written[#written + 1] = text end }
  end)

  it("is drawn over the one before, at most five times a second", function()
    sim.monitor = function(ctx) display:update(ctx.time) end
    sim:advance_to(1)
    assert.equal(1, #written)
    now = 0.3
    sim:advance_to(2)
    assert.equal(3, #written)
    local _, lines = written[1]:gsub("\n", "")
    assert.equal(("\27[%dA\27[J"):format(lines), written[2])
    assert.matches("t = 1%.1 of 4 s\n$", written[3])
    assert.not_equal(written[1], written[3])
  end)

  it("is removed before other output, once", function()
    sim:advance_to(1)
    display:update(1)
    display:clear()
    display:clear()
    assert.equal(2, #written)
    now = 1
    display:update(1)
    assert.equal(3, #written)
  end)

  it("needs two rows", function()
    display:update(0)
    assert.equal(0, #written)
  end)
end)

describe("saltus run --live", function()
  local here

  before_each(function() here = require("spec.support.command").new() end)
  after_each(function() here:remove() end)

  it("needs a terminal", function()
    local status, out, err = here:saltus("run", "examples/02-bouncing-ball.lua", "--live")
    assert.same({ 2, "", "saltus: --live redraws a plot in a terminal, and standard output is none\n" },
      { status, out, err })
  end)
end)
