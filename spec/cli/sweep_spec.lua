-- Mirrors lua/saltus/cli/commands/sweep.lua: the command, its files, its processes and its exit status.
local background = require "spec.support.background"
local commands = require "spec.support.command"
local names = require "saltus.util.names"
local slurp = require "spec.support.slurp"

local at

local ball = [[
local saltus = require "saltus"
return saltus.scenario { duration = 1, measure = { "height", "n" }, system = saltus.system {
  name = "ball", q = { { "height", 1 } }, v = { { "speed", 0 } }, discrete = { n = 0 },
  params = { gravity = 9.81, restitution = 0.8 },
  derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -ctx.gravity end,
  events = { { name = "touch", direction = "falling", witness = function(ctx) return ctx.height end,
    unrestricted_update = function(ctx, next)
      if ctx.restitution > 0.9 then error "too bouncy" end
      next.height, next.speed, next.n = 0, -ctx.restitution * ctx.speed, ctx.n + 1
    end } } } }
]]

setup(function()
  at = commands.new()
  at:write("ball.lua", ball)
end)

teardown(function() at:remove() end)

local function sweep(...) return at:saltus("sweep", at.folder .. "/ball.lua", ...) end

local function file(name) return at.folder .. "/" .. name end

describe("saltus sweep", function()
  it("writes a row for each run, and statistics", function()
    local status, out, err = sweep("--grid", "restitution=0.5:0.8:0.1", "--runs", "3", "--csv", file "a.csv", "--page",
      file "a.html")
    assert.same({ 0, "" }, { status, err })
    for _, part in ipairs { "ball: 12 runs, seed 0", "height +[%d.]+", "12 runs in ", "wrote .*a.csv",
      "wrote .*a.html" } do
      assert.matches(part, out)
    end
    local text = slurp(file "a.csv")
    assert.matches("^# {\"saltus_sweep\":", text)
    assert.matches("\nrun,seed,restitution,height,n,status,error\n1,%d+,0.5,[%d.e-]+,%d+,reached_boundary_time,\n",
      text)
    assert.equal(14, select(2, text:gsub("\n", "")))
    assert.matches("\n  wrote .*b.html\n$", select(2, sweep("--grid", "height=1,2", "--page", file "b.html")))
    local command = ("saltus sweep %s --grid height=1,2 --page %s"):format(file "ball.lua", file "b.html")
    assert.truthy(slurp(file "b.html"):find(("run again with</th><td><code>%s</code>"):format(command), 1, true))
  end)

  it("writes the same file with two processes, and passes on what the scenario prints", function()
    at:write("loud.lua", (ball:gsub("return saltus%.scenario", "print 'hello'\nreturn saltus.scenario")))
    local function run(jobs, name)
      return at:saltus("sweep", file "loud.lua", "--random", "restitution=0.5:1", "--runs", "41", "--seed", "9",
        "--csv", file(name), "-j", jobs)
    end
    local status, out = run("1", "one.csv")
    assert.equal(1, status)
    assert.matches("^hello\n", out)
    assert.matches("runs failed:\n +%d+ x .*too bouncy", out)
    local also, text = run("2", "two.csv")
    assert.equal(1, also)
    assert.equal(3, select(2, text:gsub("hello\n", "")))
    assert.equal(slurp(file "one.csv"), slurp(file "two.csv"))
    assert.equal(out:match "height[^\n]+", text:match "height[^\n]+")
    text = select(2, at:saltus("sweep", file "loud.lua", "--runs", "2", "-j", "30")) -- no process is without a run
    assert.equal(3, select(2, text:gsub("hello\n", "")))
  end)

  it("writes finished rows while a slow run goes on, and sorts them at the end", function()
    at:write("slow.lua", (ball:gsub("local saltus", [[
local slow = os.getenv "SLOW_RUN"
local function wait(ctx)
  if slow and ctx.gravity == 2 then require("saltus.core").process.sleep(2) end
end
%0]]):gsub("duration = 1", "%0, monitor = function(ctx) if ctx.time == 1 then wait(ctx) end end")))
    local function run(name)
      return at:saltus("sweep", file "slow.lua", "--grid", "gravity=1:40:1", "-j", "2", "--csv", file(name))
    end
    assert.equal(0, (run "fast.csv"))
    local watcher <close> = background.start(("cd %s; for i in $(seq 80); do cp slow.csv now.csv; "
      .. "grep -q '^2,' now.csv && break; cp now.csv before.csv; sleep 0.05; done"):format(at.folder))
    at.environment = "SLOW_RUN=1"
    assert.equal(0, (run "slow.csv"))
    at.environment = nil
    watcher:wait()
    assert.is_true(select(2, slurp(file "before.csv"):gsub("\n%d+,", "")) >= 20)
    assert.equal(slurp(file "fast.csv"), slurp(file "slow.csv"))
  end)

  it("resumes, and refuses another sweep", function()
    local function run(seed, ...) return sweep("--runs", "5", "--seed", seed, "--csv", file "r.csv", ...) end
    run "1"
    local whole = slurp(file "r.csv")
    at:write("r.csv", whole:sub(1, -60))
    for _, jobs in ipairs { "1", "2" } do
      local status, out = run("1", "--resume", "-j", jobs)
      assert.equal(0, status)
      assert.matches("5 runs, seed 1, [45] of them from the file", out)
      assert.equal(whole, slurp(file "r.csv"))
    end
    local status, _, err = run("2", "--resume")
    assert.equal(1, status)
    assert.matches("r.csv is of another sweep: its seed is 1, and here it is 2", err)
    assert.equal(whole, slurp(file "r.csv"))
    at:write("ball.lua", (ball:gsub("9.81", "1.62")))
    assert.matches("its text of the files is", (select(3, run("1", "--resume"))))
    at:write("ball.lua", ball)
  end)

  it("refuses to resume with another text of a module", function()
    local function run(text, ...)
      at:write("par.lua", text)
      return at:saltus("sweep", file "split.lua", "--runs", "2", "--csv", file "m.csv", ...)
    end
    at:write("split.lua", "local par = require 'par'\n" .. ball:gsub("9.81", "par.g"))
    assert.equal(0, (run "return { g = 9.81 }"))
    local whole = slurp(file "m.csv")
    at:write("m.csv", whole:match "^(.-\n.-\n.-\n)")
    local status, _, err = run("return { g = 1.62 }", "--resume", "-j", "2")
    assert.equal(1, status)
    assert.matches('its text of the files is "%x+", and here it is "%x+"; .*%-%-force instead of %-%-resume', err)
    assert.equal(0, (run("return { g = 9.81 }", "--resume")))
    assert.equal(whole, slurp(file "m.csv"))
  end)

  it("sets defaults from files, before --set", function()
    local values = at:write("moon.txt", "# moon\ngravity = 1.62\nrestitution = 0.5\n")
    local function run(name, ...)
      local status, _, err = sweep("--runs", "2", "--csv", file(name), ...)
      assert.same({ 0, "" }, { status, err })
      return slurp(file(name))
    end
    assert.equal(run("set.csv", "--set", "gravity=1.62", "--set", "restitution=0.7"),
      run("files.csv", "--set-file", values, "--set", "restitution=0.7"))
    local status, _, err = sweep("--set-file", at:write("bad.txt", "gravity = 2\nheigth = 3\n"))
    assert.equal(1, status)
    assert.matches("bad.txt:2: .*unknown name \"heigth\"", err)
    assert.matches("%-%-set%-file and %-%-csv are one file", (select(3, sweep("--set-file", values, "--csv", values))))
    assert.equal("# moon\ngravity = 1.62\nrestitution = 0.5\n", slurp(values))
  end)

  it("refuses words for numbers before the first run", function()
    for _, jobs in ipairs { "1", "2" } do
      local status, out, err = sweep("--grid", "restitution=0.1..0.2", "--csv", file "w.csv", "-j", jobs)
      assert.same({ 1, "" }, { status, out })
      assert.matches("restitution\"?:? must be a number, got \"0%.1%.%.0%.2\"", err)
      assert.is_nil(io.open(file "w.csv"))
    end
  end)

  it("replaces rows only with --force", function()
    local function run(...) return sweep("--runs", "3", "--csv", file "f.csv", ...) end
    assert.equal(0, (run()))
    local whole = slurp(file "f.csv")
    for _, jobs in ipairs { "1", "2" } do
      local status, out, err = run("--seed", "2", "-j", jobs, "--page", file "f.html")
      assert.same({ 1, "", whole }, { status, out, slurp(file "f.csv") })
      assert.matches("f.csv has rows already; %-%-resume continues from there, and %-%-force replaces them", err)
      assert.is_nil(io.open(file "f.html"))
      assert.equal(0, (run("--seed", jobs .. "1", "-j", jobs, "--force")))
      assert.not_equal(whole, slurp(file "f.csv"))
      whole = slurp(file "f.csv")
    end
    at:write("f.csv", whole:match "^(.-\n.-\n)")
    assert.equal(0, (run("--seed", "21")))
    assert.equal(whole, slurp(file "f.csv"))
    assert.equal(2, (run("--resume", "--force")))
  end)

  it("fails if its file is removed while it runs", function()
    local path = at:write("removes.lua", ([[local s = dofile %q
      s.measure = function() os.remove %q return { x = 1 } end
      return s]]):format(file "ball.lua", file "gone.csv"))
    for _, jobs in ipairs { "1", "2" } do
      local status, _, err = at:saltus("sweep", path, "--runs", "3", "--csv", file "gone.csv", "-j", jobs)
      assert.equal(1, status)
      assert.matches("gone.csv was removed or renamed while the sweep ran; run it again", err)
    end
  end)

  it("writes the rows to standard output with --csv -", function()
    assert.equal(0, (sweep("--runs", "5", "--csv", file "o.csv")))
    for _, jobs in ipairs { "1", "2" } do
      local status, out, err = at:run({ "sweep", file "ball.lua", "--runs", "5", "--csv", "-", "-j", jobs },
        { inside = true })
      assert.same({ 0, slurp(file "o.csv"), "" }, { status, out, err })
      assert.is_nil(io.open(file "-"))
    end
    local _, out = sweep("--runs", "5", "--csv", "-", "--shard", "1/2")
    assert.matches("\n2,.*\n4,", out)
    assert.equal(2, (sweep("--csv", "-", "--resume")))
  end)

  it("says with -q only what failed, on standard error", function()
    local status, out, err = sweep("-q", "--grid", "restitution=0.8,0.95,0.99", "-j", "2")
    assert.same({ 1, "" }, { status, out })
    assert.matches("^saltus: 2 of 3 runs failed; the first, run 2: [^\n]*too bouncy[^\n]*\n$", err)
    assert.same({ 0, "", "" }, { sweep("-q", "--grid", "restitution=0.8") })
  end)

  it("runs its shard, by the option or the launcher", function()
    local status, out = sweep("--runs", "5", "--shard", "1/2", "--csv", file "s.csv")
    assert.equal(0, status)
    assert.matches("ball: 2 runs, seed 0, shard 1/2, by %-%-shard", out)
    assert.matches("\n2,.*\n4,", slurp(file "s.1-of-2.csv"))
    local under = ("-e 'os.exit(require([[saltus.cli.main]]).main(arg), true)' /dev/null sweep %s --runs 5 -q --csv %s")
      :format(file "ball.lua", file "s.csv")
    assert.equal(0, (at:lua("-e 'local get = os.getenv; os.getenv = function(name) "
      .. "return name == [[SALTUS_SHARD]] and [[0/2]] or get(name) end' " .. under)))
    assert.matches("\n1,.*\n3,.*\n5,", slurp(file "s.0-of-2.csv"))
  end)

  it("reads cases from a CSV file", function()
    at:write("cases.csv", "restitution,height\n0.5,1\n0.6,2\n")
    assert.equal(0, (sweep("--cases", file "cases.csv", "--csv", file "c.csv")))
    assert.matches("\nrun,seed,height,restitution,final_height,n,status,error\n1,%d+,1,0.5,", slurp(file "c.csv"))
    at:write("cases.csv", "restitution,height\n0.5\n")
    assert.matches("case 1 has 1 values, but there are 2 names", (select(3, sweep("--cases", file "cases.csv"))))
  end)

  it("refuses wrong arguments and writes nothing", function()
    for _, case in ipairs {
      { "--grid gravity=1:2", 2, "must be from:to:step" }, { "--grid gravity", 2, "must be name=" },
      { "--random gravity=1:2:3", 2, "must be low:high" }, { "--random gravity=gauss:1:2", 2, "unknown distribution" },
      { "--jobs 0", 2, "must be a whole number from 1" }, { "--resume", 2, "--resume needs --csv" },
      { "--grid gravity=1 --random gravity=1:2", 2, "gravity is given twice" },
      { "--grid gravty=1", 1, "did you mean \"gravity\"" }, { "--measure hight", 1, "did you mean \"height\"" },
      { "--runs 0", 1, "runs must be a whole number of at least 1" }, { "--shard 2/2", 1, "does not exist" },
      { "--page x.csv", 2, "must end in .html" },
    } do
      local status, _, err = sweep(table.unpack(names.words(case[1])))
      assert.equal(case[2], status, case[1])
      assert.truthy(err:find(case[3], 1, true), err)
    end
  end)
end)

describe("the progress line of a sweep", function()
  local sweep_progress = require "saltus.cli.sweep_progress"

  local function lines(is_terminal, times)
    local now, out = 0, {}
    local line = sweep_progress.new { shown = true, in_lines = not is_terminal, clock = function() return now end,
      write = function(text) out[#out + 1] = text end }
    for i, t in ipairs(times) do
      now = t
      line:update(50 * i, 200, 2)
    end
    line:clear()
    return out
  end

  it("has the share, the rate and the time that is left", function()
    local out = lines(true, { 10 })
    assert.matches("25 %%  run 50 of 200, 2 failed  5 in a second  30 s left", out[1])
    assert.equal("\r\27[K", out[2])
  end)

  it("is a line a minute elsewhere", function()
    local out = lines(false, { 10, 61, 100 })
    assert.equal(1, #out)
    assert.matches("^50 %%  run 100 of 200, .* left\n$", out[1])
  end)
end)
