-- Prints whatever writes numbers: `lua5.4 numbers_everywhere.lua FOLDER [LOCALE]`. The same in every locale.
local folder, locale = arg[1], arg[2]
if locale then
  assert(os.setlocale(locale, "numeric"), "no such locale")
  assert(tostring(0.5) == "0,5", "a locale without a decimal comma")
end
rawset(_G, "arg", nil) -- no program: scenarios answer themselves
local saltus = require "saltus"
local slurp = require "spec.support.slurp"

local function show(title, text) io.stdout:write("== ", title, "\n", text, "\n") end

local function failure(title, fn, ...)
  local ok, wrong = pcall(fn, ...)
  show(title, ok and "no error" or tostring(wrong))
end

local function file(name, write)
  local path = folder .. "/" .. name
  write(path)
  show(name, slurp(path))
end

local drop = saltus.system {
  name = "drop", z = { { "x", 1.25 } }, discrete = { { "n", 0.5 }, { "mode", "on", values = { "on", "off" } } },
  params = { { "rate", 0.75 }, list = { 0.5, 1.5 } }, outputs = { double = function(ctx) return 2 * ctx.x end },
  past = { x = 0.25 },
  derivatives = function(ctx, dot) dot.x = -ctx.rate * ctx.x end,
  events = {
    { name = "tick", every = 0.125, offset = 0.0625, discrete_update = function(ctx, next) next.n = ctx.n + 0.5 end },
    { name = "low", witness = function(ctx) return ctx.x - 1.1 end },
  },
}
local sim = saltus.simulator(drop, { accuracy = 1e-7, max_step = 0.125 })
local log = saltus.log(sim, { "x", "n", "mode", "double", every = 0.0625 })
sim.integrator:start_dense_output()
local status = sim:advance_to(0.5)
local dense = sim.integrator:stop_dense_output()

for _, how in ipairs { "csv", "jsonl", "npz" } do file("log." .. how, function(path) log[how](log, path) end) end
for _, ending in ipairs { "svg", "html" } do file("plot." .. ending, function(path) log:plot(path) end) end
show("terminal", log:plot())
show("column", tostring(log.x))
show("log", tostring(log))
show("status", tostring(status))
show("simulator", tostring(sim))
show("system", tostring(drop))
show("context", tostring(sim.context))
show("vector", tostring(saltus.simulator(saltus.blocks.constant { value = { 0.5, 1.5 } }).context))
show("integrator", tostring(sim.integrator))
show("dense output", tostring(dense))
show("help simulator", require("saltus.cli.help").text(require("saltus.cli.help").page "simulator"))
show("help pid", require("saltus.blocks").help_of "pid")
file("graph.svg", function(path)
  local diagram = saltus.diagram "loop"
  diagram:add(drop, "drop")
  diagram:add(saltus.blocks.gain { gain = 2.5 }, "gain")
  diagram:connect("drop.x", "gain.input")
  rawset(io, "popen", function() return nil end) -- no graphviz
  local model = require("saltus.model.flat_model").of(diagram, "spec")
  require("saltus.cli.graph.wiring_graph").write(model, folder .. "/graph.dot", path)
end)

local past
local reader = saltus.simulator(drop)
reader.monitor = function(ctx) past = past or select(2, pcall(function() return ctx.past.x(0.75) end)) end
reader:initialize()
show("past", tostring(past))
failure("state_at", function() sim:state_at(0.125) end)
failure("advance_to", function() sim:advance_to(0.25) end)
failure("option", saltus.simulator, drop, { accuracy = -0.5 })
failure("mode", drop.with, drop, { mode = 0.5 })
failure("with", drop.with, drop, { rate = { 0.5, 1.5 } })
failure("key", function() return sim.context[0.5] end)
failure("delay buffer", function() saltus.delay_buffer { delay = -0.5 } end)
failure("delay buffer time", function()
  local buffer = saltus.delay_buffer { delay = 0.5 }
  for i = 0, 8 do buffer:append(i / 4, 0.5) end
  buffer:read(2.5, 0.25)
  buffer:append(0.125, 0.5)
  return buffer:read(0.125)
end)
failure("handler", function()
  saltus.simulator(saltus.system { name = "s", events = { { name = "e", every = 0.25, offset = 0.25,
    publish = function(ctx) if ctx.time > 0.3 then error("no", 0) end end } } }):advance_to(1)
end)
failure("step", function()
  saltus.simulator(saltus.system { name = "s", z = { { "x", 0.5 } },
    derivatives = function(ctx, dot) dot.x = ctx.time > 0.3 and 0 / 0 or 1 end }):advance_to(1)
end)
failure("stiffness", function() -- a warning
  local stiff = saltus.simulator(saltus.system { name = "s", z = { { "x", 0.5 } },
    derivatives = function(ctx, dot) dot.x = -1e5 * (ctx.x - math.cos(ctx.time)) end },
    { integrator = "dormand_prince5" })
  stiff:advance_to(0.5)
  error(stiff.warnings[1] and stiff.warnings[1].message or "none", 0)
end)

local words = require "saltus.cli.arguments"
local function said(converted, wrong) return ("%s %s"):format(converted ~= nil, wrong or "") end
show("--duration 0.5", said(words.seconds "--duration"("0.5")))
show("--duration 0,5", said(words.seconds "--duration"("0,5")))
local set = words.set "x=0.5"
show("--set", tostring(set.value == 0.5))
show("--set list", tostring(#words.set("x=0,5").value == 2))
local progress = require("saltus.cli.progress").new { start = 0, stop = 2.5, clock = function() return 0.5 end }
show("progress", progress:text(0.25, 0.125))
show("ending", require("saltus.output.summary").ending("drop", status, 0, 0.25))
show("events", require("saltus.output.summary").events(log))
if locale then assert(tostring(0.5) == "0,5", "the locale did not stay") end
