-- Mirrors lua/saltus/cli/main.lua: each case is a process of its own, with its exit
-- status, what it printed, and what it complained of.
local slurp = require "spec.support.slurp"

local commands = require "spec.support.command"

local at, folder

local function write(name, text) return at:write(name, text) end

local function lua(arguments) return at:lua(arguments) end

local function saltus(...) return at:saltus(...) end

local ball = [[
local saltus = require "saltus"
local function falling(ctx) return ctx.mode == "falling" end
local ball = saltus.system {
  name = "ball",
  q = { { "height", 1, unit = "m" } },
  v = { { "speed", 0, unit = "m/s" } },
  discrete = { { "mode", "falling", values = { "falling", "resting" } } },
  params = { gravity = require("beside").gravity, { "restitution", 0.8 } },
  derivatives = function(ctx, dot)
    dot.height = ctx.speed
    dot.speed = falling(ctx) and -ctx.gravity or 0
  end,
  events = {
    { name = "touch", when = falling, direction = "falling",
      witness = function(ctx) return ctx.height end,
      unrestricted_update = function(ctx, next) next.height, next.speed = 0, -ctx.restitution * ctx.speed end,
      on_zeno = function(_, next) next.mode, next.height, next.speed = "resting", 0, 0 end },
  },
}
return saltus.scenario { system = ball, duration = 1, log = { "height", "mode", every = 0.01 } }
]]

setup(function()
  at = commands.new()
  folder = at.folder
  write("beside.lua", "return { gravity = 9.81 }\n")
  write("ball.lua", ball)
end)

teardown(function() at:remove() end)

describe("saltus run", function()
  it("runs a file and prints how it ended", function()
    local status, out, err = saltus("run", folder .. "/ball.lua")
    assert.equal("", err)
    assert.equal(0, status)
    for _, part in ipairs { "ball: reached 1 s in ", "steps +%d+", "touch +1 +0.4515", "height %[m%]", "├falling─" } do
      assert.matches(part, out)
    end
    assert.is_nil(out:find "\27")
  end)

  it("runs a scenario that logs nothing", function()
    local path = write("nothing.lua", [[
local saltus = require "saltus"
return saltus.scenario { duration = 1, log = false, system = saltus.system { name = "still", z = { "y" },
  derivatives = function(_, dot) dot.y = 0 end } }
]])
    local status, out, err = saltus("run", path)
    assert.same({ 0, "" }, { status, err })
    assert.matches("still: reached 1 s", out)
  end)

  it("prints nothing with --quiet", function()
    local status, out, err = saltus("run", folder .. "/ball.lua", "--quiet")
    assert.same({ 0, "", "" }, { status, out, err })
  end)

  it("sets names, duration and options, and writes files", function()
    local csv, html, svg = folder .. "/out.csv", folder .. "/out.html", folder .. "/out.svg"
    assert.equal(0, (saltus("run", folder .. "/ball.lua", "--set", "restitution=0.5", "--set", "height=2",
      "--duration", "0.5", "--integrator", "runge_kutta3", "--accuracy", "1e-4", "--seed", "7", "-q", "--csv", csv,
      "--plot", html)))
    local lines = {}
    for line in slurp(csv):gmatch "[^\r\n]+" do lines[#lines + 1] = line end
    assert.equal("time [s],height [m],mode", lines[1])
    assert.matches("^0,2,falling", lines[2])
    assert.equal(52, #lines)
    assert.matches("^<!doctype html>", slurp(html))
    assert.equal(0, (saltus("run", folder .. "/ball.lua", "-q", "--plot", svg)))
    assert.matches("^<svg", slurp(svg))
  end)

  it("sets a mode by its name", function()
    local csv = folder .. "/mode.csv"
    assert.equal(0, (saltus("run", folder .. "/ball.lua", "--set", "mode=resting", "-q", "--csv", csv)))
    assert.matches("\n1,1,resting\r\n$", slurp(csv))
  end)

  it("reports an unknown name in --set, with a similar one", function()
    local status, _, err = saltus("run", folder .. "/ball.lua", "--set", "restituton=0.5")
    assert.equal(1, status)
    assert.matches('unknown name "restituton" in "ball"; did you mean "restitution"', err)
  end)

  it("fails with system, line, time and cause", function()
    local path = write("broken.lua", [[
local saltus = require "saltus"
local bad = saltus.system { name = "bad", z = { "y" },
  derivatives = function(_, dot) dot.y = 1 end,
  events = { { name = "alarm", every = 0.5, offset = 0.5, publish = function() error "too hot" end } } }
return saltus.scenario { system = bad, duration = 1 }
]])
    local status, _, err = saltus("run", path, "--csv", folder .. "/part.csv")
    assert.equal(1, status)
    assert.matches("broken.lua:4: too hot %(in alarm of bad at t = 0.5%)", err)
    assert.matches("^time %[s%],y", slurp(folder .. "/part.csv"))
  end)

  it("never overwrites another result or the scenario", function()
    local path = write("whole.lua", ball)
    for _, arguments in ipairs { { "run", path, "--csv", path }, { "run", path, "--csv", folder .. "/a.svg", "--plot",
      folder .. "/a.svg" }, { "graph", path, "--dot", folder .. "/g", "--svg", folder .. "/g" } } do
      local status, _, err = saltus(table.unpack(arguments))
      assert.equal(2, status)
      assert.matches("^saltus: .* are one file, '" .. folder:gsub("%p", "%%%0"), err)
    end
    assert.equal(ball, slurp(path))
  end)

  it("reports a termination", function()
    local path = write("stop.lua", [[
local saltus = require "saltus"
local s = saltus.system { name = "wall", discrete = { "n" },
  events = { { name = "hit", every = 1, offset = 1, publish = saltus.terminate "hit the wall" } } }
return saltus.scenario { system = s, duration = 5 }
]])
    local status, out = saltus("run", path)
    assert.equal(0, status)
    assert.matches("wall: terminated at 1 s.*: hit the wall", out)
  end)

  it("prints control characters in texts as escapes, so that no terminal obeys them", function()
    local evil = "a\27]0;title\7b\rc\127d\194\155e" -- the last: one character of Unicode that begins a sequence, too
    local shown = [[a\27]0;title\7b\13c\127d\u{9B}e]]
    local function ends_with(outcome)
      local path = write("evil.lua", ([[
local saltus = require "saltus"
local s = saltus.system { name = "wall", discrete = { "n" },
  events = { { name = "hit", every = 1, offset = 1, publish = function() %s end } } }
return saltus.scenario { system = s, duration = 5 }
]]):format(outcome))
      return saltus("run", path)
    end
    local _, out = ends_with(("return saltus.terminate(%q)"):format(evil))
    assert.is_truthy(out:find(": " .. shown, 1, true))
    for _, outcome in ipairs { "return saltus.fail(%q)", "error(%q)" } do
      local status, told, err = ends_with(outcome:format(evil))
      assert.equal(1, status)
      assert.is_truthy(err:find(shown, 1, true))
      assert.is_nil((told .. err):find "[\27\7\r\127]")
    end
    local _, _, err = saltus("run", "no" .. evil .. ".lua")
    assert.is_truthy(err:find(shown, 1, true))
    _, _, err = saltus("run", write("said.lua", ("error(%q)"):format(evil)))
    assert.is_truthy(err:find(shown, 1, true))
    _, _, err = saltus(evil)
    assert.is_nil(err:find "[\27\7\r\127]")
  end)
end)

describe("a file that is no scenario", function()
  it("is named in the error", function()
    local path = write("deep.lua", "return " .. ("("):rep(1000) .. "1" .. (")"):rep(1000))
    local status, _, err = saltus("run", path)
    assert.equal(1, status)
    assert.is_truthy(err:find("saltus: " .. path, 1, true))
    local mute = "error(setmetatable({}, { __tostring = function() error 'x' end }))"
    status, _, err = saltus("run", write("mute.lua", mute))
    assert.equal(1, status)
    assert.matches("^saltus: .*mute.lua: an error object whose __tostring fails", err)
  end)

  local function refused(path, pattern)
    for _, command in ipairs { "run", "check" } do
      local status, out, err = saltus(command, path)
      assert.same({ 1, "" }, { status, out })
      assert.matches(pattern, err)
      assert.is_nil(err:find "traceback")
    end
  end

  it("is missing", function() refused(folder .. "/none.lua", "saltus: cannot open .*none.lua: No such file") end)

  it("is a folder", function() refused(folder, "saltus: cannot read") end)

  it("is compiled, or fails without a message", function()
    refused(write("compiled.lua", string.dump(function() end)), "compiled.lua is compiled Lua; give its source")
    refused(write("wordless.lua", "error()"), "wordless.lua: an error without a message")
  end)

  it("has a syntax error", function()
    refused(write("syntax.lua", "local x = = 3\n"), "saltus: .*syntax.lua:1: unexpected symbol near '='")
  end)

  it("raises an error", function()
    refused(write("boom.lua", 'error "boom"\n'), "saltus: .*boom.lua:1: boom")
  end)

  it("returns something else, or nothing", function()
    refused(write("three.lua", "return 3\n"), "three.lua returned 3; it should")
    refused(write("empty.lua", ""), "empty.lua returned nothing; it should")
  end)

  it("describes a wrong system", function()
    refused(write("wrong.lua", 'require("saltus").system { name = "b", derivativs = 1 }\n'),
      'wrong.lua:1: unknown field "derivativs" in system "b"; did you mean "derivatives"')
  end)
end)

describe("saltus check", function()
  it("lists states with units and defaults, parameters and events, and runs nothing", function()
    local status, out = saltus("check", folder .. "/ball.lua")
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

local loop = [[
local saltus = require "saltus"
local d = saltus.diagram "loop"
d:add(saltus.system { name = "plant", z = { { "x", 1, unit = "m" } }, inputs = { "u" },
  derivatives = function(ctx, dot) dot.x = ctx.u end })
d:add(saltus.system { name = "gain", inputs = { { "input", unit = "s" } }, outputs = {
  output = function(ctx) return -ctx.input end, spare = function() return 0 end, shown = function() return 1 end } })
d:connect("plant.x", "gain")
d:connect("gain.output", "plant")
return saltus.scenario { system = d, duration = 1, log = { "gain.shown" } }
]]

describe("saltus check, of a diagram", function()
  it("prints the tree, the systems and the warnings", function()
    local status, out, err = saltus("check", write("loop.lua", loop))
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
    assert.equal('warning: a function of "tank" mentions "Slow", which is no value of "kind"; did it mean "slow"?\n'
      .. 'warning: a function of "tank" mentions "opne", which is no value of "valve"; did it mean "open"?\n', err)
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

describe("saltus graph", function()
  it("writes DOT and SVG of the wiring", function()
    local dot, svg = folder .. "/w.dot", folder .. "/w.svg"
    local status, out = saltus("graph", write("loop.lua", loop), "--dot", dot, "--svg", svg)
    assert.equal(0, status)
    assert.matches("^wrote .*w.dot and .*w.svg %(laid out by %a+%)\n$", out)
    assert.matches('"gain":"o_output":e %-> "plant":"i_u":w;', slurp(dot))
    assert.matches("<svg", slurp(svg))
    for _, word in ipairs { "plant", "gain", "output", "input" } do assert.matches(word, slurp(svg)) end
  end)

  it("complains of a file that cannot be written, or is no model", function()
    local status, _, err = saltus("graph", folder .. "/loop.lua", "--dot", folder .. "/no/w.dot")
    assert.equal(1, status)
    assert.matches("^saltus: %-%-dot: ", err)
    status, _, err = saltus("graph", write("three.lua", "return 3"))
    assert.equal(1, status)
    assert.matches("returned 3; it should return a scenario, a system or a diagram", err)
  end)
end)

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
    assert.matches("%-%-duration must be a number of seconds, not negative, got '%-1'",
      (select(3, saltus("run", "x", "--duration", "-1"))))
    assert.matches('^saltus: unknown word "zzzz" in the help\n', (select(3, saltus("help", "zzzz"))))
    assert.matches("must end in .html or .svg",
      (select(3, saltus("run", folder .. "/ball.lua", "--plot", "ball.png"))))
  end)
end)

describe("files that cannot be written", function()
  it("are refused before the run", function()
    for _, option in ipairs { "--csv", "--plot" } do
      local status, out, err = saltus("run", folder .. "/ball.lua", option, folder .. "/no/such/x.svg")
      assert.equal(1, status)
      assert.equal("", out)
      assert.matches("^saltus: " .. option:gsub("%-", "%%-") .. ": .*No such file", err)
    end
  end)

  it("include those of a run without a log, and no file remains", function()
    local path = write("silent.lua", (ball:gsub("log = %b{}", "log = false")))
    local status, _, err = saltus("run", path, "--csv", folder .. "/silent.csv")
    assert.equal(1, status)
    assert.matches("nothing will be logged", err)
    assert.is_nil(io.open(folder .. "/silent.csv"))
  end)
end)

describe("a scenario file under plain lua", function()
  it("runs itself, with the same options, and finds modules in its folder", function()
    local status, out, err = lua(folder .. "/ball.lua --duration 0.1")
    assert.equal("", err)
    assert.equal(0, status)
    assert.matches("ball: reached 0.1 s in", out)
  end)

  it("is only returned when another file requires it", function()
    local path = write("driver.lua", [[
local saltus = require "saltus"
local s = require "ball"
print(s:run({ duration = 0.1 }).status.time, saltus._VERSION)
]])
    local status, out = lua(path)
    assert.equal(0, status)
    assert.equal("0.1\tsaltus 0.1.0\n", out)
  end)

  it("runs when the file ends with a name that holds the scenario", function()
    local text = ball:gsub("return saltus.scenario (%b{})%s*$", 'local sc = saltus.scenario %1\nprint "made"\n%%s')
    local path = write("named.lua", text:format "return sc -- the end\n")
    local status, out = lua(path .. " --duration 0.1")
    assert.equal(0, status)
    assert.matches("^made\nball: reached 0.1 s in", out)
    status, out = lua(write("uses.lua", 'require "saltus"\nlocal sc = require "named"\n'
      .. "print(sc:run({ duration = 0.1 }).status.time)\nreturn sc\n"))
    assert.same({ 0, "made\n0.1\n" }, { status, out }) -- made by another file
    status, out = lua(write("kept.lua", (text:format "return { sc }")))
    assert.same({ 0, "made\n" }, { status, out })
    status, out = lua(write("stopped.lua", (text:format 'error "no"\nreturn sc\n')))
    assert.same({ 1, "made\n" }, { status, out })
  end)

  it("exits with 1 when it fails", function()
    local path = write("fails.lua", [[
local saltus = require "saltus"
local s = saltus.system { name = "s", events = { { at = "initialization", publish = function() error "no" end } } }
return saltus.scenario { system = s, duration = 1 }
]])
    local status, _, err = lua(path)
    assert.equal(1, status)
    assert.matches("fails.lua:2: no", err)
  end)
end)
