-- Mirrors lua/saltus/cli/commands/ and its options: the command's help, its outputs, its completions.
local command = require "spec.support.command"
local commands = require "saltus.cli.commands"
local parser = require "saltus.cli.parser"

local at

local fall = [[
local saltus = require "saltus"
local fall = saltus.system { name = "fall", q = { { "height", 20, unit = "m" } }, v = { "speed" },
  params = { gravity = 10 },
  derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -ctx.gravity end,
  events = { { name = "floor", direction = "falling", witness = function(ctx) return ctx.height end,
    publish = saltus.terminate "it has landed" } } }
return saltus.scenario { system = fall, duration = 5, log = { "height", "speed", every = 0.5 } }
]]

setup(function()
  at = command.new()
  at:write("fall.lua", fall)
end)

teardown(function() at:remove() end)

local function run(...) return at:run({ "run", at:path "fall.lua", ... }) end

local function run_fails(code, pattern, ...) at:fails(code, pattern, "run", at:path "fall.lua", ...) end

describe("saltus run, with files of values", function()
  it("sets what they say, before --set, and reports it", function()
    local path = at:write("values.txt", "# two lines\n\n gravity = 2 # m/s^2\r\nheight=9\n")
    local status, out = run("--set", "height=16", "--set-file", path)
    assert.equal(0, status)
    assert.matches("\n  set gravity = 2, height = 16\n", out)
    assert.matches("terminated at 4 s", out) -- sqrt(2 * 16 / 2)
  end)

  it("names the line that is wrong, and a file that is missing", function()
    run_fails(1, "bad.txt:2: a line must be name=value, got 'height'",
      "--set-file", at:write("bad.txt", "gravity = 2\nheight\n"))
    run_fails(1, 'bad.txt:2: .*unknown name "heigth" in "fall"; did you mean "height"?',
      "--set-file", at:write("bad.txt", "gravity = 2\nheigth = 3\n"))
    run_fails(1, 'bad.txt:3: .*"gravity" must be a number, got "much"',
      "--set-file", at:write("bad.txt", "# strong\n\ngravity = much\n"), "--set", "gravity=2")
    run_fails(1, "bad.txt:3: height is set in line 1, too",
      "--set-file", at:write("bad.txt", "height = 3\ngravity = 2\nheight = 2\n"))
    run_fails(1, "^saltus: %-%-set%-file: .*none.txt: No such file", "--set-file", at:path "none.txt")
  end)
end)

describe("saltus run, with other columns", function()
  it("logs the names of --log, at the scenario's times", function()
    local status, out, err = run("--log", "speed,height", "--csv", "-")
    assert.equal(0, status)
    assert.equal("", err)
    local rows = {}
    for line in out:gmatch "[^\r\n]+" do rows[#rows + 1] = line end
    assert.equal("time [s],speed,height [m]", rows[1])
    assert.matches("^0.5,%-[45][%d.]*,18.75$", rows[3])
  end)

  it("logs at the multiples of --every, and each step with 0; the run card has it", function()
    local status, out = run("--every", "0.25", "--jsonl", "-")
    assert.equal(0, status)
    local times = {}
    for time in out:gmatch '{"time":([%d.]+),"height"' do times[#times + 1] = tonumber(time) end
    assert.same({ 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2 }, times)
    assert.matches('"command":"saltus run [^"]*fall.lua %-%-every 0.25"', out)
    status, out = run("--log", "height", "--every", "0.5", "--csv", "-")
    assert.equal(0, status)
    assert.matches("\n1.5,8.75%d*\r?\n", out)
    status, out = run("--every", "0", "--csv", "-")
    assert.equal(0, status)
    assert.is_nil(out:find "\n0.5,")
  end)

  it("suggests --every for the words of other tools, and refuses a negative one", function()
    run_fails(2, "did you mean %-%-every?", "--output-interval", "0.25")
    run_fails(2, "%-%-every must be a finite number of seconds, not negative", "--every=-1")
  end)

  it("reports an unknown one with a near name", function()
    run_fails(1, 'unknown name "heigth".*did you mean "height"', "--log", "speed,heigth")
  end)
end)

describe("saltus run, for scripts", function()
  local decode = require("dkjson").decode

  it("writes a report, the log as JSON Lines and for NumPy", function()
    local status, out = run("--json", "-", "--jsonl", at:path "a.jsonl", "--npz", at:path "a.npz", "--seed", "7")
    assert.equal(0, status)
    local report = decode(out)
    assert.equal("reached_termination", report.reason)
    assert.near(2, report.time, 1e-9)
    assert.same({ 7, "fall" }, { report.seed, report.scenario })
    assert.same({ name = "floor", count = 1, first = report.time, last = report.time }, report.events[1])
    assert.equal("PK", at:read("a.npz"):sub(1, 2))
    local last
    for line in at:read("a.jsonl"):gmatch "[^\n]+" do last = decode(line) end
    assert.equal("floor", last.event)
  end)

  it("reports a failure too, with its error", function()
    local hot = fall:gsub("publish = .-,?\n?} } }", "publish = function() error 'hot' end } } }")
    local path = at:write("bad.lua", hot)
    local status, out, err = at:saltus("run", path, "--json", "-")
    assert.equal(1, status)
    assert.matches("bad.lua:%d+: hot %(in floor of fall at t = 2%)", err)
    assert.matches("\n  the state at t = 2: height = [%d.e-]+, speed = %-20\n$", err)
    local report = decode(out)
    assert.equal("event_handler_failed", report.reason)
    assert.matches("bad.lua:%d+: hot", report.error)
    assert.near(2, report.time, 1e-9)
  end)

  it("writes one result to standard output, not two, and .npz only with that name", function()
    assert.equal(2, (run("--json", "-", "--csv", "-")))
    run_fails(2, "%-%-npz: the file must end in .npz", "--npz", at:path "a.zip")
  end)

  it("passes --rate on as the target rate", function()
    local status, out = run("--duration", "0.001", "--rate", "2", "--json", "-")
    assert.equal(0, status)
    assert.equal(2, decode(out).options.target_realtime_rate)
  end)
end)

describe("saltus run --out", function()
  it("writes all results to a folder, and overwrites them only with --force", function()
    local folder = at:path "results"
    assert.equal(0, (run("-q", "--out", folder)))
    local before = at:read "results/run.csv"
    for _, name in ipairs { "run.csv", "run.jsonl", "run.npz", "run.html", "run.json" } do
      assert.is_true(#at:read("results/" .. name) > 100, name)
    end
    run_fails(1, "^saltus: %-%-out: .*run.csv exists; %-%-force overwrites it",
      "-q", "--out", folder, "--set", "gravity=3")
    assert.equal(before, at:read "results/run.csv")
    assert.equal(0, (run("-q", "--out", folder, "--set", "gravity=3", "--force")))
    assert.not_equal(before, at:read "results/run.csv")
  end)

  it("writes the moving page too, where the scenario or a system draws", function()
    local folder = at:path "moves"
    assert.equal(0, (at:saltus("run", at:write("draws.lua", (fall:gsub("log = ",
      "draw = function(ctx, pen) pen:circle(0, ctx.height, 1) end, log = "))), "-q", "--out", folder)))
    assert.matches('<canvas id="stage"', at:read "moves/animation.html")
    assert.is_nil(io.open(at:path "results/animation.html"))
  end)

  it("refuses a file of its own under another option", function()
    local status, _, err = run("-q", "--out", at:path "twice", "--csv", at:path "twice//run.csv")
    assert.equal(2, status)
    assert.matches("^saltus: %-%-out and %-%-csv are one file, '.*run.csv'", err)
  end)

  it("complains of a folder that cannot be made", function()
    run_fails(1, "^saltus: %-%-out: .*no/such: No such file", "--out", at:path "no/such")
  end)
end)

describe("a wrong word on the command line", function()
  it("is answered with a near one, also for words of other tools", function()
    for word, meant in pairs { rum = 'did you mean "run"', chekc = 'did you mean "check"',
      plot = "it is an option: saltus run FILE %-%-plot FILE" } do
      at:fails(2, meant, word, "x")
    end
    for option, meant in pairs { ["--seeed"] = "--seed", ["--dt"] = "--max-step", ["--tolerance"] = "--accuracy",
      ["--integrater"] = "--integrator" } do
      local status, _, err = run(option, "1")
      assert.equal(2, status)
      assert.is_truthy(err:find(("unknown option '%s'; did you mean %s?"):format(option, meant), 1, true), err)
    end
    local _, _, err = at:lua(at:path "fall.lua --seeed 1")
    assert.matches("did you mean %-%-seed", err)
  end)
end)

describe("saltus help", function()
  local function found(word)
    local status, out = at:saltus("help", word)
    assert.equal(0, status, word)
    return out
  end

  it("finds any word in names, descriptions, options and pages", function()
    assert.matches("\n  events +witness ", found "witness")
    assert.matches("\n  events +on_zeno ", found "zeno")
    assert.matches("\n  simulator +seed .*\n  run +%-%-seed ", found "seed")
    assert.matches("\n  system +past ", found "past")
    assert.matches("\n  mass +mass.static_friction ", found "friction")
    assert.matches("\n  man +exit status 130 ", found "exit")
    assert.matches("saltus doc zeno.*\n  concepts.md ", found "zeno")
    assert.matches("\n  embedding.md ", found "sal_simulator_new")
  end)

  it("suggests a near name where it finds nothing", function()
    at:fails(2, 'unknown word "wittness" in the help; did you mean "witness"', "help", "wittness")
  end)

  it("finds options as they are written, and explains several words", function()
    assert.matches("\n  run +%-%-csv ", found "--csv")
    assert.matches("^Usage: saltus help", found "-h")
    local status, out = at:saltus("help", "repl", "--log-axes")
    assert.equal(0, status)
    assert.matches("^Usage: saltus repl .*\n\n\"log%-axes\" in the help;.*\n  run +%-%-log%-axes ", out)
    at:fails(2, 'unknown word "zzzz"', "help", "repl", "zzzz")
  end)

  it("knows no word without a letter", function()
    for _, word in ipairs { "", "--", "?" } do
      at:fails(2, "unknown word", "help", word)
      at:fails(2, "unknown word", "doc", "--print", "--", word)
    end
  end)

  it("explains every command with all its options", function()
    for _, entry in ipairs(commands) do
      local out = found(entry.name)
      for _, option in ipairs(entry.options or {}) do
        assert.is_truthy(out:find(parser.long_name(option), 1, true), option.name)
      end
    end
  end)
end)

describe("saltus doc", function()
  it("prints the page that says most about a word", function()
    local status, out = at:saltus("doc", "zeno")
    assert.equal(0, status)
    assert.matches("docs/concepts/zeno.md: Zeno and sliding\n$", out)
    assert.is_nil(out:find("/../", 1, true))
    status, out = at:saltus "doc"
    assert.equal(0, status)
    assert.matches("docs/runs.md\n", out)
    assert.equal(2, (at:saltus("doc", "zzzz")))
  end)
end)

describe("saltus completion", function()
  it("prints a script for each shell, with every command and option of the tables", function()
    for _, shell in ipairs { "bash", "zsh", "fish" } do
      local status, out = at:saltus("completion", shell)
      assert.equal(0, status)
      for _, entry in ipairs(commands) do
        assert.is_truthy(out:find(entry.name, 1, true), entry.name)
        for _, option in ipairs(entry.options or {}) do
          local word = shell == "fish" and "-l " .. parser.long_name(option):sub(3) or parser.long_name(option)
          assert.is_truthy(out:find(word, 1, true), shell .. " " .. option.name)
        end
      end
    end
    at:fails(2, 'did you mean "fish"', "completion", "fishy")
  end)

  it("completes in bash", function()
    local _, script = at:saltus("completion", "bash")
    at:write("complete.bash", script)
    at:write("try.bash", "source " .. at:path "complete.bash" .. [[

complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _saltus; echo "${COMPREPLY[*]}"; }
complete_words saltus gr
complete_words saltus run --se
]])
    local pipe = io.popen("bash " .. at:path "try.bash" .. " 2>&1")
    local lines = pipe:read "a"
    pipe:close()
    assert.matches("^graph\n", lines)
    assert.matches("%-%-set", lines)
    assert.matches("%-%-seed", lines)
  end)
end)

describe("saltus man", function()
  it("has every command, option and exit status", function()
    local status, out = at:saltus "man"
    assert.equal(0, status)
    assert.matches('^%.TH SALTUS 1 "" "saltus %d', out)
    for _, entry in ipairs(commands) do
      assert.is_truthy(out:find(".SS \\fBsaltus " .. entry.name, 1, true), entry.name)
      for _, option in ipairs(entry.options or {}) do
        local name = parser.long_name(option):gsub("%-", "\\-")
        assert.is_truthy(out:find("\\fB" .. name, 1, true), option.name)
      end
    end
    for _, row in ipairs(require "saltus.cli.exit_status") do
      assert.is_truthy(out:find("\\fB" .. row[1] .. "\\fR\n", 1, true), row[1])
    end
  end)
end)

describe("docs/command-line.md", function()
  local page = require "spec.support.slurp" "docs/command-line.md"

  -- No longer word, either: --log-axes does not explain --log.
  local function says(words) return page:find("%f[%w-]" .. words:gsub("%p", "%%%0") .. "%f[^%w-]") end

  it("has the table of exit statuses", function()
    for _, row in ipairs(require "saltus.cli.exit_status") do
      assert.is_truthy(page:find(("| %s | %s |"):format(row[1], row[2]), 1, true), row[1])
    end
  end)

  it("has every command, and every option of each that is not hidden", function()
    local missing, top, parsers = {}, parser.of_commands(commands)
    parsers.saltus = top
    for name, of in pairs(parsers) do
      if of ~= top and not says("saltus " .. name) then missing[#missing + 1] = name end
      for _, option in ipairs(of._options) do
        local long = option._aliases[#option._aliases]
        if not option._hidden and not says(long) then missing[#missing + 1] = name .. " " .. long end
      end
    end
    table.sort(missing)
    assert.equal("", table.concat(missing, "\n"))
  end)
end)

describe("the rock", function()
  it("depends on lua alone, and its script runs without other modules", function()
    local rockspec = {}
    assert(loadfile("rockspec/saltus-scm-1.rockspec", "t", rockspec))()
    assert.same({ "lua >= 5.4, < 5.5" }, rockspec.dependencies)
    local path = package.path
    package.path = "./lua/?.lua;./lua/?/init.lua" -- no argparse of the system
    local status, out, err = at:lua(at.here .. "/rockspec/saltus --version")
    package.path = path
    assert.same({ 0, "saltus 0.1.0\n", "" }, { status, out, err })
  end)
end)
