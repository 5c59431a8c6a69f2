-- Mirrors lua/saltus/cli/commands/run.lua and scenario_run.lua: each case is a process of its own, with its exit
-- status, what it printed, and what it complained of.
local command = require "spec.support.command"
local models = require "spec.support.model_files"
local slurp = require "spec.support.slurp"

local at

setup(function() at = command.new(models) end)

teardown(function() at:remove() end)

local function write(name, text) return at:write(name, text) end

local function saltus(...) return at:saltus(...) end

describe("saltus run", function()
  it("runs a file and prints how it ended", function()
    local status, out, err = saltus("run", at:path "ball.lua")
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
    local status, out, err = saltus("run", at:path "ball.lua", "--quiet")
    assert.same({ 0, "", "" }, { status, out, err })
  end)

  it("sets names, duration and options, and writes files", function()
    local csv, html, svg = at:path "out.csv", at:path "out.html", at:path "out.svg"
    assert.equal(0, (saltus("run", at:path "ball.lua", "--set", "restitution=0.5", "--set", "height=2",
      "--duration", "0.5", "--integrator", "runge_kutta3", "--accuracy", "1e-4", "--seed", "7", "-q", "--csv", csv,
      "--plot", html)))
    local lines = {}
    for line in slurp(csv):gmatch "[^\r\n]+" do lines[#lines + 1] = line end
    assert.equal("time [s],height [m],mode", lines[1])
    assert.matches("^0,2,falling", lines[2])
    assert.equal(52, #lines)
    assert.matches("^<!doctype html>", slurp(html))
    local status, out = saltus("run", at:path "ball.lua", "--json", at:path "out.json", "--plot", svg)
    assert.equal(0, status)
    assert.matches("\n  wrote .*out.json\n  wrote .*out.svg\n$", out)
    assert.matches("^<svg", slurp(svg))
  end)

  it("sets a mode by its name", function()
    local csv = at:path "mode.csv"
    assert.equal(0, (saltus("run", at:path "ball.lua", "--set", "mode=resting", "-q", "--csv", csv)))
    assert.matches("\n1,1,resting\r\n$", slurp(csv))
  end)

  it("reports an unknown name in --set, with a similar one", function()
    at:fails(1, 'unknown name "restituton" in "ball"; did you mean "restitution"',
      "run", at:path "ball.lua", "--set", "restituton=0.5")
  end)

  it("fails with system, line, time and cause", function()
    local path = write("broken.lua", [[
local saltus = require "saltus"
local bad = saltus.system { name = "bad", z = { "y" },
  derivatives = function(_, dot) dot.y = 1 end,
  events = { { name = "alarm", every = 0.5, offset = 0.5, publish = function() error "too hot" end } } }
return saltus.scenario { system = bad, duration = 1 }
]])
    at:fails(1, "broken.lua:4: too hot %(in alarm of bad at t = 0.5%)", "run", path, "--csv", at:path "part.csv")
    assert.matches("^time %[s%],y", slurp(at:path "part.csv"))
  end)

  it("fails with system, event and time where the error is a table", function()
    local path = write("coded.lua", [[
local saltus = require "saltus"
local bad = saltus.system { name = "bad", discrete = { "n" }, events = {
  { name = "alarm", every = 0.5, offset = 0.5, discrete_update = function() error { code = 3 } end } } }
return saltus.scenario { system = bad, duration = 1 }
]])
    at:fails(1, "coded.lua:3: an error object that is a table without __tostring %(in alarm of bad at t = 0.5%)",
      "run", path)
  end)

  it("never overwrites another result or the scenario", function()
    local path = write("whole.lua", models["ball.lua"])
    for _, arguments in ipairs { { "run", path, "--csv", path }, { "run", path, "--csv", at:path "a.svg", "--plot",
      at:path "a.svg" }, { "graph", path, "--dot", at:path "g", "--svg", at:path "g" } } do
      at:fails(2, "^saltus: .* are one file, '" .. at.folder:gsub("%p", "%%%0"), table.unpack(arguments))
    end
    assert.equal(models["ball.lua"], slurp(path))
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

describe("files that cannot be written", function()
  it("are refused before the run", function()
    for _, option in ipairs { "--csv", "--plot" } do
      local status, out, err = saltus("run", at:path "ball.lua", option, at:path "no/such/x.svg")
      assert.equal(1, status)
      assert.equal("", out)
      assert.matches("^saltus: " .. option:gsub("%-", "%%-") .. ": .*No such file", err)
    end
  end)

  it("include those of a run without a log, and no file remains", function()
    local path = write("silent.lua", (models["ball.lua"]:gsub("log = %b{}", "log = false")))
    at:fails(1, "nothing will be logged", "run", path, "--csv", at:path "silent.csv")
    assert.is_nil(io.open(at:path "silent.csv"))
  end)
end)

describe("the files of a run", function()
  it("are well-formed, whatever the scenario's file and its texts are called", function()
    local path = at:write("a\xFF\27<&>.lua", [[
local saltus = require "saltus"
return saltus.scenario { duration = 1, log = { "x" }, system = saltus.system { name = "s", z = { "x" },
  derivatives = function(_, dot) dot.x = 1 end,
  draw = function(ctx, pen) pen:text(0, ctx.x, "\xC3(\27") end } }
]])
    local status, _, err = at:saltus("run", path, "-q", "--json", at:path "w.json", "--jsonl", at:path "w.jsonl",
      "--plot", at:path "w.svg", "--animate", at:path "w.html")
    assert.same({ 0, "" }, { status, err })
    for _, kind in ipairs { "json", "jsonl", "svg", "html" } do
      local text = at:read("w." .. kind)
      assert.is_truthy(utf8.len(text), kind)
      assert.is_nil(text:find "\27", kind)
      assert.is_truthy(text:find([[a\255]], 1, true) or text:find([[a\\255]], 1, true), kind)
    end
  end)
end)
