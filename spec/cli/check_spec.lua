-- Mirrors lua/saltus/cli/commands/check.lua and lint.lua: what it lists, and its warnings.
local command = require "spec.support.command"
local models = require "spec.support.model_files"

local at

setup(function() at = command.new(models) end)

teardown(function() at:remove() end)

local function write(name, text) return at:write(name, text) end

local function saltus(...) return at:saltus(...) end

describe("saltus check", function()
  it("lists states with units and defaults, parameters and events, and runs nothing", function()
    local status, out = saltus("check", at:path "ball.lua")
    assert.equal(0, status)
    for _, part in ipairs { "system ball %(.*ball.lua:3%)", "q +height +1 m", "restitution +0.8",
      "falling %(falling | resting%)", "touch +witness, falling", "duration 1 s" } do
      assert.matches(part, out)
    end
  end)

  it("takes a system too", function()
    local status, out = saltus("check", write("system.lua", 'return (require("saltus").system { name = "lone" })\n'))
    assert.equal(0, status)
    assert.matches("^system lone", out)
  end)
end)

describe("saltus check, of a diagram", function()
  it("prints the tree, the systems and the warnings", function()
    local status, out, err = saltus("check", at:path "loop.lua")
    assert.equal(0, status)
    assert.matches("^diagram loop %(.*loop.lua:2%): 2 parts, 2 connections\n├─ plant\n", out)
    assert.matches("\nsystem gain %(", out)
    assert.equal("warning: unused output gain.spare: no input reads it, no diagram exports it, no log names it\n"
      .. "warning: plant.x [m] feeds gain.input [s]: two units\n", err)
  end)
end)

describe("saltus check, of modes", function()
  it("warns of words that are nearly a value of a mode, and of no others", function()
    local _, _, err = saltus("check", write("modes.lua", [[
local saltus = require "saltus"
local function is_open(ctx) return ctx.valve == "opne" end
return saltus.system { name = "tank", z = { "level" }, params = { { "kind", "fast", values = { "fast", "slow" } } },
  discrete = { { "valve", "open", values = { "open", "closed" } } },
  derivatives = function(ctx, dot) dot.level = is_open(ctx) and 1 or ctx.kind == "Slow" and 2 or 0 end,
  events = { { name = "full", witness = function(ctx) return ctx.level - math.floor(2) end,
    discrete_update = function(_, next) next.valve = "closed" io.stdout:close() local s = "somewhere else" return s end,
    } } }
]]))
    assert.equal('warning: a function of "tank" mentions "Slow", which is not a value of "kind"; did it mean "slow"?\n'
      .. 'warning: a function of "tank" mentions "opne", which is not a value of "valve"; did it mean "open"?\n', err)
  end)
end)

describe("saltus check, of names", function()
  it("warns of words that are nearly a name, also in functions that a run may not call", function()
    local _, _, err = saltus("check", write("names.lua", [[
local saltus = require "saltus"
return saltus.system { name = "tank", z = { "level" }, derivatives = function(ctx, dot) dot.level = -ctx.outflow end,
  params = { { "outflow", 1 } }, discrete = { { "pump", "single", values = { "single", "outfow" } } },
  outputs = { twice = function(ctx) return 2 * ctx.levels end },
  events = { { name = "levle", every = 1, discrete_update = function(ctx, next)
    if ctx.pump == "single" then next.pmup = "outfow" saltus.terminate "levle" end
  end } } }
]]))
    assert.equal('warning: a function of "tank" mentions "levels"; did it mean "level"?\n'
      .. 'warning: a function of "tank" mentions "pmup"; did it mean "pump"?\n', err)
  end)
end)

describe("saltus check, of outputs", function()
  it("counts those that a handler names as used, itself or through a function that it calls", function()
    local _, _, err = saltus("check", write("handled.lua", [[
local saltus = require "saltus"
local d = saltus.diagram "d"
local function tell(ctx) print(ctx.through) end
d:add(saltus.system { name = "a", discrete = { "n" },
  outputs = { shown = function(ctx) return ctx.n end, through = function(ctx) return ctx.inner end,
    inner = function(ctx) return ctx.n end, spare = function(ctx) return ctx.n end },
  events = { { every = 1, publish = function(ctx) tell(ctx) error "never called" end },
    { every = 1, discrete_update = function(ctx, next) next.n = ctx.shown end } } })
return saltus.scenario { system = d, duration = 1, log = false }
]]))
    assert.equal("warning: unused output a.spare: no input reads it, no diagram exports it, no log names it\n"
      , (err:gsub("warning: discrete state[^\n]*\n", "")))
  end)
end)
