-- The examples of the pages of help; a spec runs them.
local help_examples = {}

help_examples.system = [[
local tank = saltus.system { name = "tank", z = { { "level", 2, unit = "m" } }, params = { outflow = 0.1 },
  outputs = { full = function(ctx) return ctx.level > 1.9 and 1 or 0 end },
  derivatives = function(ctx, dot) dot.level = -ctx.outflow * math.sqrt(math.max(ctx.level, 0)) end }
local sim = saltus.simulator(tank:with { outflow = 0.2 })
print(sim:advance_to(10), sim.context.level)]]

help_examples.events = [[
local door = saltus.system { name = "door", q = { { "angle", 1 } },
  discrete = { { "lock", "open", values = { "open", "shut" } }, "slams" },
  derivatives = function(ctx, dot) dot.angle = ctx.lock == "open" and -0.4 or 0 end,
  events = {
    { name = "slam", witness = function(ctx) return ctx.angle end, direction = "falling",
      unrestricted_update = function(ctx, next) next.lock, next.slams = "shut", ctx.slams + 1 end },
    { name = "look", every = 1, when = function(ctx) return ctx.lock == "shut" end,
      publish = function(ctx) print(ctx.time, ctx.slams) end },
  } }
saltus.simulator(door):advance_to(5)]]

help_examples.diagram = [[
local d = saltus.diagram "loop"
d:add(saltus.blocks.step { time = 1, after = 2 }, "target")
d:add(saltus.blocks.pid { kp = 2, ki = 1 })
d:add(saltus.blocks.lag { time_constant = 0.5 }, "plant")
d:connect("target", "pid.target")
d:connect("pid", "plant")
d:connect("plant", "pid.measured")
local sim = saltus.simulator(d:with { ["pid.ki"] = 3 })
sim:advance_to(20)
print(sim.context.plant.output)]]

help_examples.log = [[
local decay = saltus.system { name = "decay", z = { { "x", 1 } },
  derivatives = function(ctx, dot) dot.x = -ctx.x end }
local sim = saltus.simulator(decay)
local log = saltus.log(sim, { "x", square = function(ctx) return ctx.x ^ 2 end, every = 0.5 })
sim:advance_to(3)
for i, t in ipairs(log.time) do print(t, log.x[i], log.square[i]) end
print(log:plot())]]

help_examples.pen = [[
local spring = saltus.system { name = "spring", q = { { "x", 1 } }, v = { "u" },
  derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.x end,
  draw = function(ctx, pen)
    pen:spring(-3, 0, ctx.x, 0, { colour = "soft" })
    pen:box(ctx.x + 0.5, 0, 1, 1, { colour = 1, fill = true })
  end }
return saltus.scenario { system = spring, duration = 10, view = { left = -3, right = 3 } }]]

return help_examples
