-- Mirrors lua/saltus/cli/commands/new.lua and repl.lua, and the options checkpoint.lua and profile.lua.
local command = require "spec.support.command"

local at

-- Random kicks, a witness and a delay: everything that a checkpoint must hold.
local walk = [[
local saltus = require "saltus"
local walk = saltus.system { name = "walk", q = { { "x", 1 } }, v = { "u" }, discrete = { "kick", "seen" },
  params = { stiffness = 4 }, past = { x = 1 },
  outputs = { late = function(ctx) return ctx.past.x(0.5) end },
  derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, ctx.kick - ctx.stiffness * ctx.x end,
  events = {
    { name = "kicked", every = 0.25, discrete_update = function(_, next) next.kick = next.random:normal() end },
    { name = "passes", witness = function(ctx) return ctx.x end,
      discrete_update = function(ctx, next) next.seen = ctx.seen + 1 end } } }
return saltus.scenario { system = walk, duration = 20, log = { "x", "kick", "late" } }
]]

setup(function()
  at = command.new()
  at:write("walk.lua", walk)
  at:write("grid.lua", (walk:gsub('"late" }', '"late", every = 0.1 }')))
end)

teardown(function() at:remove() end)

describe("a checkpoint", function()
  local function outputs(name) return "--csv", at:path(name .. ".csv"), "--jsonl", at:path(name .. ".jsonl") end

  it("continues in another process to the bytes of the whole run", function()
    for _, file in ipairs { "walk.lua", "grid.lua" } do
      local checkpoint = at:path "walk.checkpoint"
      assert.equal(0, (at:saltus("run", at:path(file), "-q", "--seed", "7", "--set", "stiffness=9", outputs "whole")))
      local whole = at:read "whole.csv"
      assert.equal(0, (at:saltus("run", at:path(file), "-q", "--seed", "7", "--set", "stiffness=9",
        "--checkpoint-every", "6", "--checkpoint", checkpoint, outputs "same")))
      assert.equal(whole, at:read "same.csv") -- checkpoints change nothing
      local status, _, err = at:saltus("run", at:path(file), "-q", "--resume", checkpoint, outputs "rest")
      assert.same({ 0, "" }, { status, err })
      assert.equal(whole, at:read "rest.csv")
      assert.equal(at:read("whole.jsonl"):match "\n(.*)", at:read("rest.jsonl"):match "\n(.*)")
    end
  end)

  it("is written in a run of a few steps, too, as soon as it is due", function()
    local checkpoint = at:path "few.checkpoint"
    local function few(...)
      return at:saltus("run", at:path "walk.lua", "-q", "--accuracy", "0.1", "--duration", "2", ...)
    end
    assert.equal(0, (few(outputs "whole")))
    assert.equal(0, (few("--checkpoint-every", "1.5", "--checkpoint", checkpoint)))
    local status, out = at:saltus("run", at:path "walk.lua", "--resume", checkpoint, outputs "rest")
    assert.equal(0, status)
    assert.is_true(tonumber(out:match "\n  steps +(%d+)") < 20) -- of the rest alone
    assert.equal(at:read "whole.csv", at:read "rest.csv")
  end)

  it("may come from a pipe", function()
    local checkpoint = at:path "piped.checkpoint"
    assert.equal(0, (at:saltus("run", at:path "walk.lua", "-q", "--checkpoint-every", "6", "--checkpoint", checkpoint)))
    at:write("pipe.lua", ([[
      local status = require("saltus.cli.main").main { "run", %q, "-q", "--resume", "/dev/stdin" }
      os.exit(status, true)]]):format(at:path "walk.lua"))
    at:write("pipe.sh", ("cat %s | LUA_PATH='%s' LUA_CPATH='%s' %s %s 2>&1\n"):format(checkpoint,
      at:absolute(package.path), at:absolute(package.cpath), at:interpreter(), at:path "pipe.lua"))
    local pipe = assert(io.popen("sh " .. at:path "pipe.sh"))
    assert.equal("", pipe:read "a")
    assert.is_true(pipe:close())
  end)

  it("goes on beyond the end with a longer duration", function()
    local checkpoint = at:path "walk.checkpoint"
    at:saltus("run", at:path "walk.lua", "-q", "--duration", "10", "--checkpoint-every", "3", "--checkpoint",
      checkpoint)
    local status, out = at:saltus("run", at:path "walk.lua", "--duration", "30", "--resume", checkpoint)
    assert.equal(0, status)
    assert.matches("walk: reached 30 s", out)
  end)

  -- A second of the run takes a second, and a byte of a save a thousandth; saves grow by 10 bytes a second.
  local function bytes_of_run(duration)
    local process, every = require("saltus.core").process, require("saltus.cli.options.checkpoint").every
    local clock, now, bytes, count = process.clock, 0, 0, 0
    process.clock = function() return now end
    local run = { start = 0, args = { file = "", checkpoint = at:path "long.checkpoint" }, changes = {},
      scenario = { model = { name = "long" } }, sim = { interrupt = function() end } }
    function run.sim.save()
      local saved = ("x"):rep(10 * run.time)
      now, bytes, count = now + #saved / 1000, bytes + #saved, count + 1
      return saved
    end
    every.before(run, 1)
    for time = 1, duration do
      now, run.time = now + 1, time
      every.progress(run, 1, time)
      if run.between then run.between(run) end
      run.between = nil
    end
    process.clock = clock
    return bytes, count
  end

  it("is written less often where it is large: the bytes of all grow as the run, not as its square", function()
    local bytes, count = bytes_of_run(500)
    local longer, more = bytes_of_run(5000)
    assert.is_true(count > 20 and more > count)
    assert.is_true(longer < 11 * bytes, longer / bytes)
    assert.is_true(longer > 0.09 * 5000 * 1000, longer) -- a tenth of the time
  end)

  it("is refused where it does not fit, or is damaged", function()
    local checkpoint = at:path "walk.checkpoint"
    local function fails(code, message, file, ...)
      local status, _, err = at:saltus("run", at:path(file), "-q", ...)
      assert.equal(code, status)
      assert.is_truthy(err:find(message, 1, true), err)
    end
    fails(2, "--checkpoint must be a file", "walk.lua", "--checkpoint-every", "3", "--checkpoint", "-")
    fails(2, "--checkpoint needs --checkpoint-every", "walk.lua", "--checkpoint", at:path "never")
    fails(2, "--resume continues with the values of the checkpoint; leave out --set", "walk.lua", "--set",
      "stiffness=1", "--resume", checkpoint)
    fails(1, "is not a checkpoint, or it is damaged", "walk.lua", "--resume", at:path "walk.lua")
    fails(1, "--resume: ", "walk.lua", "--resume", at:path "none")
    fails(1, "--resume: /dev/zero: it is no regular file", "walk.lua", "--resume", "/dev/zero")
    fails(1, "after the end at 1 s; give a longer --duration", "walk.lua", "--duration", "1", "--resume", checkpoint)
    at:write("other.lua", (walk:gsub('name = "walk"', 'name = "other"')))
    fails(1, 'is a checkpoint of "walk", not of "other"', "other.lua", "--resume", checkpoint)
    at:write("more.lua", (walk:gsub('discrete = {', 'discrete = { "more",')))
    fails(1, "does not fit this scenario, which has changed since", "more.lua", "--resume", checkpoint)
    local bytes = at:read "walk.checkpoint"
    local function is_refused(damaged)
      at:write("damaged", damaged)
      fails(1, "--resume: ", "walk.lua", "--resume", at:path "damaged")
    end
    for i = 1, #bytes - 1, #bytes // 40 do
      is_refused(bytes:sub(1, i))
      is_refused(bytes:sub(1, i - 1) .. string.char(bytes:byte(i) ~ 0x55) .. bytes:sub(i + 1))
    end
    is_refused(bytes .. "more")
  end)
end)

describe("saltus run --profile", function()
  it("prints cost by closure, limiting states, where the steps go, and memory; the run is the same", function()
    at:saltus("run", at:path "walk.lua", "-q", "--csv", at:path "a.csv")
    local status, out = at:saltus("run", at:path "walk.lua", "--profile", "--csv", at:path "b.csv")
    assert.equal(0, status)
    assert.equal(at:read "a.csv", at:read "b.csv")
    local evaluations = tonumber(out:match "derivative evaluations +(%d+)")
    local calls = tonumber(out:match '\n  derivatives of "walk" +%a+ +(%d+) ')
    assert.equal(evaluations, calls)
    assert.equal(80, tonumber(out:match '\n  event "kicked" of "walk" +%a+ +(%d+) '))
    assert.matches('\n  the witness of event "passes" of "walk" +%a+ +%d+ ', out)
    assert.matches("\n  states that limit the steps\n", out)
    local steps, sum = tonumber(out:match "  steps +(%d+)"), 0
    local rows = out:match "where the steps go\n[^\n]+\n(.-\n)\n"
    for count in rows:gmatch " +[%d.]+ +(%d+)[^\n]*\n" do sum = sum + count end
    assert.equal(steps, sum)
    assert.matches("\n  memory: [%d.]+ MB at most, [%d.]+ MB of it Lua, [%d.]+ MB the log; a saved state has %d+ bytes",
      out)
  end)
end)

describe("saltus new", function()
  it("writes a scenario that moves and a spec that passes, and overwrites nothing", function()
    local status, out = at:run({ "new", "water-tank" }, { inside = true })
    assert.equal(0, status)
    assert.matches("wrote water%-tank/water%-tank.lua\nwrote water%-tank/spec/water%-tank_spec.lua\n", out)
    status, out = at:run({ "run", "water-tank/water-tank.lua", "--animate", "tank.html" }, { inside = true })
    assert.equal(0, status)
    assert.is_true(#at:read "tank.html" < 400e3)
    assert.matches("water_tank: reached 60 s", out)
    assert.is_nil(at:read("water-tank/water-tank.lua"):find "NAME")
    local passed, said = at:run({ "test", "water-tank", "-o", "TAP" }, { inside = true })
    assert.equal(0, passed)
    assert.matches("ok 1 .*ok 5 .*\n1..5\n", said)
    local again, _, err = at:run({ "new", "water-tank" }, { inside = true })
    assert.equal(1, again)
    assert.matches("water%-tank/water%-tank.lua exists; nothing was written", err)
    assert.equal(2, (at:run({ "new", "3x" }, { inside = true })))
  end)
end)

describe("saltus repl", function()
  local function typed(text, ...) return at:run({ "repl", ... }, { input = text }) end

  it("runs lines and statements of several lines, prints values, and has the simulator of a file", function()
    local status, out, err = typed("x = 2\nx + 1\nfor i = 1, 2 do\nprint(i)\nend\n{ 1, { a = 'b' } }\n"
      .. "sim:advance_to(0.5)\n=ctx.time\nlog\n'a\\nb'\n", at:path "walk.lua")
    assert.equal("", err)
    assert.equal(0, status)
    assert.matches('^3\n1\n2\n{ 1, { a = "b" } }\nreached_boundary_time at t = 0.5 s\n0.5\n'
      .. 'log of walk: %d+ rows[^\n]*\na\nb\n$', out)
  end)

  it("prints errors with near names, and continues", function()
    local status, out, err = typed("ctx.kik\nctx.kick\n1 +* 2\n'end'\n", at:path "walk.lua")
    assert.equal(1, status)
    assert.equal('0.0\n"end"\n', out)
    assert.matches('error: prompt:1: unknown name "kik" in "walk"; did you mean "kick"', err)
    assert.matches("error: prompt:1: unexpected symbol near '[*1]'", err)
  end)

  it("completes names, fields, methods and states", function()
    local prompt = require "saltus.cli.prompt"
    local saltus = require "saltus"
    local sim = saltus.simulator(saltus.system { name = "s", discrete = { "height", "heat" } })
    local env = setmetatable({ sim = sim, ctx = sim.context, simple = 1 }, { __index = _G })
    assert.same({ "sim", "simple" }, prompt.complete("si", env))
    assert.same({ "ctx.heat", "ctx.height" }, prompt.complete("ctx.he", env))
    assert.same({ "sim:advance_frame", "sim:advance_pending_events", "sim:advance_to" },
      prompt.complete("sim:advance", env))
    assert.same({ "string.format" }, prompt.complete("string.form", env))
    assert.same({}, prompt.complete("no.such.th", env))
  end)
end)
