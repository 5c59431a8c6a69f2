-- Mirrors lua/saltus/model/diagram_tree.lua and lua/saltus/cli/lint.lua: a diagram as a tree, and what is worth a
-- second look in it.
local saltus = require "saltus"
local lint = require "saltus.cli.lint"
local loops = require "spec.support.loops"

local arm = saltus.system { name = "arm", q = { { "angle", 0.1, unit = "rad" }, { "r", { 1, 2 } } }, discrete = { "n" },
  inputs = { { "torque", unit = "N m" } }, derivatives = function() end }
local pid = saltus.system { name = "pid", inputs = { "measured", { "target", 1, unit = "deg" } }, params = { kp = 2 },
  outputs = { output = function(ctx) return ctx.kp * (ctx.target - ctx.measured) end, spare = function() return 1 end },
  events = { { name = "tick", every = 1, publish = function() end } } }

local function loop() return loops.loop(arm, pid) end

local function two_loops() return loops.exported_chain(loop()) end

describe("tostring of a diagram", function()
  it("is a tree of its parts, with their sources", function()
    local text = tostring(two_loops())
    assert.matches("^diagram outer %(%./spec/support/loops.lua:%d+%): 4 parts, 5 connections\n", text)
    assert.equal([[
├─ a
│  ├─ plant  (arm)
│  │     q         angle = 0.1 rad, r = { 1, 2 }
│  │     discrete  n = 0
│  │     inputs    torque <- a.pid.output
│  └─ pid
│        params    kp = 2
│        inputs    measured <- a.plant.angle, target <- goal (exported; 1 deg)
│        outputs   output, spare
│        events    tick
└─ b
   ├─ plant  (arm)
   │     q         angle = 0.1 rad, r = { 1, 2 }
   │     discrete  n = 0
   │     inputs    torque <- b.pid.output
   └─ pid
         params    kp = 2
         inputs    measured <- b.plant.angle, target <- a.plant.angle
         outputs   output, spare
         events    tick
a.angle is a.plant.angle
a.target is a.pid.target
b.angle is b.plant.angle
b.target is b.pid.target]], (text:gsub("^[^\n]*\n", "")))
  end)

  it("also prints a diagram that cannot be built", function()
    assert.equal("diagram empty", tostring(saltus.diagram "empty"):match "^diagram empty")
    local d = saltus.diagram "d"
    d:add(pid)
    d:connect("pid.output", "pid.measured")
    assert.is_false(pcall(d.build, d))
    assert.matches("measured <%- pid.output", tostring(d))
  end)

  it("lists inputs without a source", function()
    local d = saltus.diagram "d"
    d:add(pid)
    assert.matches("inputs    measured = not connected, target = 1 deg\n", tostring(d))
  end)
end)

describe("a warning about a model", function()
  local function of(d, logged, story) return lint.of(d:build(), logged, story) end

  it("is given once, by path", function()
    local d = loop()
    d:add(arm, "idle")
    d:connect("plant.angle", "pid.target")
    assert.same({
      "unconnected input idle.torque: it has no value; connect it, give it a default, or set it before the run",
      "unused output pid.spare: no input reads it, no diagram exports it, no log names it",
      "discrete state plant.n: nothing initializes it, so it begins at 0; give it a default",
      "discrete state idle.n: nothing initializes it, so it begins at 0; give it a default",
      "plant.angle [rad] feeds pid.target [deg]: two units",
    }, of(d))
  end)

  it("is not an output that its own system reads, or that an output which is used reads", function()
    local d = saltus.diagram "d"
    d:add(saltus.system { name = "tank", z = { "level" }, past = { late = 1 }, outputs = {
      { "flow", function(ctx) return -ctx.level end }, { "low", function(ctx) return ctx.level - 1 end },
      { "half", function(ctx) return ctx.level / 2 end }, { "shown", function(ctx) return ctx.half end },
      { "late", function(ctx) return ctx.level end }, { "idle", function(ctx) return ctx.spare end },
      { "spare", function(ctx) return ctx.level end } },
      derivatives = function(ctx, dot) dot.level = ctx.flow + ctx.past.late(1) end,
      events = { { name = "refill", witness = function(ctx) return ctx.low end } } })
    d:export_output("tank.shown", "out")
    assert.same({ "unused output tank.idle: no input reads it, no diagram exports it, no log names it",
      "unused output tank.spare: no input reads it, no diagram exports it, no log names it" }, of(d))
  end)

  it("is not given for inputs and outputs that a story names", function()
    local tank = saltus.system { name = "tank", z = { "level" }, inputs = { { "inflow", 0 }, { "drain", 0 } },
      outputs = { { "weight", function(ctx) return 9.81 * ctx.level end }, { "idle", function() return 0 end } },
      derivatives = function(ctx, dot) dot.level = ctx.inflow - ctx.drain end }
    local d = saltus.diagram "d"
    d:add(tank, "a")
    d:add(tank, "b")
    local function later(_, run) run.b.drain = 1 end
    assert.same({ "unconnected input b.inflow: it stays at its default",
      "unused output a.idle: no input reads it, no diagram exports it, no log names it",
      "unused output b.idle: no input reads it, no diagram exports it, no log names it" }, of(d, nil, function(s, run)
        s:ramp("a.inflow", 1, { over = 2 })
        s:wait_until "a.weight > 2 and b.weight < 1"
        later(s, run)
      end))
  end)

  it("is not given for logged, exported, initialized or set values", function()
    local d = saltus.diagram "d"
    d:add(arm:with { n = 3, torque = 0 }, "plant")
    d:add(saltus.system { name = "begun", discrete = { "k" }, abstract = { "list" }, outputs = { y = function() end },
      events = { { at = "initialization", discrete_update = function(_, next) next.k = 1 end } } })
    d:add(pid)
    d:export_output("pid.output", "out")
    d:export_input("target", "pid.target")
    d:connect("plant.angle", "pid.measured")
    assert.same({ "unconnected input plant.torque: it stays at its default" }, of(d, { "pid.spare", "begun.y" }))
    assert.same({ "discrete state list: nothing initializes it, so it begins at nil; give it a default" },
      lint.of(require("saltus.model.flat_model").of(saltus.system { name = "s", abstract = { "list" } })))
  end)
end)
