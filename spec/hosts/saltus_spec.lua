-- Mirrors src/hosts/saltus.c: signals, and standard streams that are full or closed. Each case is a process.
local slurp = require "spec.support.slurp"

local build = os.getenv "SALTUS_BUILD" or "build"
local folder

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text)
  file:close()
end

-- Runs `command` in the folder; $S is the program. Returns the exit status, stdout and stderr. A process in which
-- LuaSocket is loaded ignores SIGPIPE, and so would those that it starts.
local function shell(command)
  local line = ([[S=$PWD/%s/bin/saltus; export LUA_PATH="$PWD/lua/?.lua;$PWD/lua/?/init.lua;;" ]]
    .. [[LUA_CPATH="$PWD/%s/lua/?.so;;"; cd %s && { %s; } >out 2>err]]):format(build, build, folder, command)
  local _, _, status = os.execute(("env --default-signal=PIPE bash -c '%s'"):format(line:gsub("'", "'\\''")))
  return status, slurp(folder .. "/out"), slurp(folder .. "/err")
end

-- Sends the signal once the scenario has written the file `started`, or has ended. A shell starts what is behind `&`
-- with SIGINT ignored.
local function signalled(signal, arguments)
  return shell(("rm -f started; env --default-signal=INT $S run %s & p=$!; "
    .. "until [ -e started ] || ! kill -0 $p; do sleep 0.02; done; kill -s %s $p; wait $p"):format(arguments, signal))
end

local prelude = [[
  local saltus = require "saltus"
  local function started() assert(io.open("started", "w")):close() end
  local function turn(ctx, dot) dot.x, dot.y = ctx.y, -ctx.x end
]]

-- A wheel that turns for ever, and what more it has.
local function spin(more)
  return prelude .. [[return saltus.scenario { duration = 1e9, log = { "x", every = 100 }, ]] .. more[1]
    .. [[ system = saltus.system { name = "spin", z = { { "x", 1 }, { "y", 0 } }, ]] .. more[2] .. " } }"
end

setup(function()
  folder = os.tmpname()
  os.remove(folder)
  os.execute("mkdir -p " .. folder)
  -- Once it has started, all of it is C.
  write("endless.lua", spin { "", [[derivatives = turn, events = { { name = "once", every = 1e12, offset = 1000,
    publish = started } }]] })
  write("stuck.lua", spin { "", [[derivatives = function(ctx, dot)
    if ctx.time > 150.5 then started() while true do end end
    turn(ctx, dot)
  end]] })
  write("told.lua", spin { "story = function(s) s:wait(150) started() while true do end end, ",
    "derivatives = turn" })
  write("told_twice.lua", spin { [[story = function(s)
    s:spawn(function(s) s:wait(150) started() local t = os.clock() while os.clock() - t < 0.1 do end s:wait(1) end)
    s:wait(0)
    s:wait(150)
    while true do end
  end, ]], "derivatives = turn" })
  write("first.lua", spin { "draw = function(ctx, pen) pen:circle(ctx.x, ctx.y, 1) end, ", [[derivatives = turn,
    events = { { name = "first", at = "initialization", publish = function() started() while true do end end } }]] })
  write("talk.lua", spin { "", [[derivatives = turn, events = { { name = "talk", every = 1,
    publish = function(ctx) print(ctx.time) end } }]] })
  write("slow.lua", spin { "target_realtime_rate = 1e-3, ", [[derivatives = turn, events = { { name = "first",
    at = "initialization", publish = started } }]] })
  write("many.lua", prelude .. [[
    local s = saltus.scenario { duration = 10, system = saltus.system { name = "spin", z = { { "x", 1 }, { "y", 0 } },
      derivatives = turn } }
    s:run()
    started()
    while true do s:run() end]])
  write("patient.lua", prelude .. [[
    os.remove "go"
    started()
    repeat until io.open "go"
    return dofile "asks.lua"]])
  write("stubborn.lua", prelude .. "started() while true do pcall(function() while true do end end) end")
  write("writing.lua", prelude .. [[require "saltus.util.whole_file".write("kept.csv", "spec", function(put)
    put "half"
    started()
    while true do pcall(function() while true do end end) end
  end)]])
  write("loading.lua", prelude .. "started() while true do end")
  write("asks.lua", [[
    local saltus = require "saltus"
    return saltus.scenario { duration = 10, log = { every = 1 }, system = saltus.system { name = "s",
      z = { { "x", 1 } }, derivatives = function(ctx, dot) dot.x = 1 end,
      events = { { name = "enough", every = 4, offset = 4, publish = saltus.terminate "enough" } } } }]])
end)

teardown(function() os.execute("rm -rf " .. folder) end)

describe("a signal", function()
  for signal, code in pairs { INT = 130, TERM = 143 } do
    it("ends the run at its next step and has the files written: SIG" .. signal, function()
      local status, out, err = signalled(signal, "endless.lua --csv spin.csv --plot spin.svg")
      assert.equal(code, status)
      local time = tonumber(err:match "^saltus: interrupted at t = (%S+)\n$")
      assert.is_true(time > 100, err)
      assert.matches("spin: interrupted at " .. time, out)
      local last
      for line in io.lines(folder .. "/spin.csv") do last = line end
      assert.is_true(time - tonumber(last:match "^[^,]+") < 100, last)
      assert.matches("</svg>", slurp(folder .. "/spin.svg"))
    end)
  end

  it("ends a closure that loops for ever, and the files contain the run before", function()
    local status, _, err = signalled("INT", "stuck.lua -q --csv stuck.csv")
    assert.equal(130, status)
    local time = tonumber(err:match "^saltus: interrupted at t = (%S+) %(in derivatives of spin, stuck.lua:%d+%)\n$")
    assert.is_true(time > 100 and time <= 150.5, err)
    assert.equal("100,", slurp(folder .. "/stuck.csv"):match "\n(100,)[^\n]+\n$")
  end)

  it("ends a story that loops for ever, and one that begins to loop after the signal", function()
    for _, file in ipairs { "told.lua", "told_twice.lua" } do
      local status, _, err = signalled("INT", file .. " -q --csv told.csv")
      assert.equal(130, status)
      assert.matches('^saltus: interrupted at t = 150 %(in story "story[ 2]*", ' .. file .. ":%d+%)\n$", err)
      assert.matches("\n100,[^\n]+\n$", slurp(folder .. "/told.csv"))
    end
  end)

  it("in the first handler leaves the files too, and the page that moves", function()
    local status = signalled("INT", "first.lua -q --json first.json --animate first.html")
    assert.equal(130, status)
    assert.matches("interrupted", slurp(folder .. "/first.json"))
    assert.matches('<canvas id="stage"', slurp(folder .. "/first.html"))
  end)

  it("ends a run that waits for real time, a script's own runs and its loading", function()
    local status, _, err = signalled("TERM", "slow.lua")
    assert.equal(143, status)
    assert.matches("^saltus: interrupted at t = ", err)
    for _, file in ipairs { "many.lua", "loading.lua" } do
      status, _, err = signalled("TERM", file)
      assert.same({ 143, "saltus: interrupted\n" }, { status, err })
    end
  end)

  it("is no error of the Lua files that the program loads", function()
    local status, _, err = shell [[mkdir -p program/bin program/lua/saltus/cli; cp $S program/bin
      echo "io.open(\"started\", \"w\"):close() while true do end" >program/lua/saltus/cli/main.lua
      rm -f started; program/bin/saltus help & p=$!
      until [ -e started ] || ! kill -0 $p; do sleep 0.02; done; kill -TERM $p; wait $p]]
    assert.same({ 143, "saltus: interrupted\n" }, { status, err })
  end)

  it("before the first run ends the runs of a sweep too, without rows", function()
    local status, _, err = shell [[mkdir -p program/bin program/lua/saltus/cli; cp $S program/bin
      cat >program/lua/saltus/cli/main.lua <<END
        io.open("started", "w"):close()
        repeat until require "saltus.host".caught()
        package.path, package.loaded["saltus.cli.main"] = os.getenv "LUA_PATH", nil
        return require "saltus.cli.main"
END
      echo "local saltus = require \"saltus\"
        return saltus.scenario { duration = 1, system = saltus.system { name = \"still\" } }" >still.lua
      rm -f started; program/bin/saltus sweep still.lua --runs 100000 --csv still.csv -q & p=$!
      until [ -e started ] || ! kill -0 $p; do sleep 0.02; done; kill -TERM $p; wait $p]]
    assert.same({ 143, "saltus: interrupted after 0 of 100000 runs; --resume continues from there\n" }, { status, err })
  end)

  it("that comes a second time ends the program at once", function()
    local status, _, err = shell [[rm -f started; $S run stubborn.lua -q & p=$!
      until [ -e started ] || ! kill -0 $p; do sleep 0.02; done; kill -TERM $p; sleep 0.2; kill -TERM $p; wait $p]]
    assert.equal(143, status)
    assert.is_nil(err:match "saltus: interrupted")
  end)

  it("that comes a second time leaves no half of a file", function()
    write("kept.csv", "old")
    local status, out = shell [[rm -f started; $S run writing.lua -q & p=$!
      until [ -e started ] || ! kill -0 $p; do sleep 0.02; done; kill -TERM $p; sleep 0.2; kill -TERM $p; wait $p
      s=$?; ls *.new; exit $s]]
    assert.same({ 143, "", "old" }, { status, out, slurp(folder .. "/kept.csv") })
  end)

  it("that is ignored from outside stays so", function()
    local status = shell [[trap "" TERM; rm -f started; $S run patient.lua -q & p=$!
      until [ -e started ] || ! kill -0 $p; do sleep 0.02; done; kill -TERM $p; : >go; wait $p]]
    assert.equal(0, status)
  end)
end)

describe("a signal to a sweep", function()
  -- Starts `words` in a file's folder, sends the signal to this one process after `started`, and waits for it.
  local function sweep_signalled(signal, words, after)
    return shell(("rm -f started ended c.csv; env --default-signal=INT %s & p=$!; "
      .. "until [ -e started ] || ! kill -0 $p; do sleep 0.02; done; sleep 0.1; kill -s %s $p; wait $p%s")
      :format(words, signal, after or ""))
  end

  local function check_ended() assert.is_nil(io.open(folder .. "/ended"), "a run went on to its end") end

  -- Not all rows, and the rest by --resume, without a failed one.
  local function check_rows(words)
    check_ended()
    local text = slurp(folder .. "/c.csv")
    assert.is_nil(text:find("failed", 1, true), text)
    assert.is_true(select(2, text:gsub("\n%d+,", "")) < 4, text)
    local status, out = shell("touch quick; $S sweep " .. words .. " --resume; s=$?; rm quick; exit $s")
    assert.equal(0, status, out)
    text = slurp(folder .. "/c.csv")
    assert.equal(4, select(2, text:gsub("\n%d+,%d+,%d+,[%d.e-]+,reached_boundary_time,", "")), text)
  end

  setup(function()
    local slow = [[
      local function busy(c)
        if c.a < 2 or io.open "quick" then return end
        started()
        local stop = os.clock() + 5
        repeat until os.clock() > stop
        assert(io.open("ended", "w")):close()
      end
      local s = saltus.scenario { duration = 1, %s system = saltus.system { name = "s", z = { { "x", 1 } },
        params = { a = 1 }, derivatives = function(c, dot) dot.x = -c.a * c.x end, %s } }
    ]]
    local measure = prelude .. slow:format("measure = function(r) busy(r.context) return { x = r.context.x } end,", "")
    local handler = prelude .. slow:format("", 'events = { { name = "wait", at = "initialization", publish = busy } }')
    write("measure.lua", measure .. " return s")
    write("handler.lua", handler .. " return s")
    write("late.lua", prelude .. [[if (os.getenv "SALTUS_SWEEP_WORKER" or ""):find "^1/" then
      started()
      while true do end
    end]] .. "\n" .. measure .. " return s")
    write("library.lua", measure .. [[ saltus.sweep { scenario = s, params = { a = { 1, 2, 3, 4 } }, csv = "c.csv" }
      print "went on"]])
  end)

  for _, file in ipairs { "measure.lua", "handler.lua" } do
    for signal, code in pairs { INT = 130, TERM = 143 } do
      it(("makes no row: SIG%s in %s"):format(signal, file), function()
        local words = file .. " --grid a=1:4:1 --csv c.csv -q"
        local status, _, err = sweep_signalled(signal, "$S sweep " .. words)
        assert.equal(code, status, err)
        assert.equal("saltus: interrupted after 1 of 4 runs; --resume continues from there\n", err)
        check_rows(words)
      end)
    end

    it("ends the processes of -j, in " .. file, function()
      local words = file .. " --grid a=1:4:1 --csv c.csv -q -j 2"
      local status, _, err = sweep_signalled("TERM", "$S sweep " .. words)
      assert.equal(143, status, err)
      assert.matches("^saltus: interrupted after [01] of 4 runs; %-%-resume continues from there\n$", err)
      check_rows(words)
    end)
  end

  it("is told by the first process alone, also while another one loads the file", function()
    local status, _, err = sweep_signalled("TERM", "$S sweep late.lua --grid a=1:4:1 --csv c.csv -q -j 2",
      "; s=$?; sleep 0.6; exit $s") -- it has time to speak
    assert.equal(143, status, err)
    assert.matches("^saltus: interrupted after [01] of 4 runs; %-%-resume continues from there\n$", err)
  end)

  it("in lua5.4 ends the program", function()
    local lua = os.getenv "SALTUS_LUA" or "lua5.4"
    if lua:find "build/" then return pending "the interpreter of the specs does not catch Ctrl-C" end
    local status, out, err = sweep_signalled("INT", lua .. " library.lua")
    assert.same({ 1, "" }, { status, out })
    assert.matches("interrupted!", err)
    assert.is_nil(slurp(folder .. "/c.csv"):find("interrupted", 1, true))
  end)

  it("that kills it ends its processes", function()
    -- cat ends with the last process that has the pipe.
    shell [[{ rm -f started ended c.csv; $S sweep measure.lua --grid a=2:5:1 --csv c.csv -q -j 2 & p=$!
      until [ -e started ] || ! kill -0 $p; do sleep 0.02; done; kill -KILL $p; wait $p; } 2>&1 | cat]]
    assert.truthy(io.open(folder .. "/started"))
    check_ended()
  end)
end)

describe("a signal to the prompt", function()
  it("ends a chunk, and later runs go on", function()
    local _, out = shell [=[rm -f started; mkfifo chunks; env --default-signal=INT $S repl <chunks & p=$!
      exec 7>chunks; echo "dofile [[loading.lua]]" >&7
      until [ -e started ] || ! kill -0 $p; do sleep 0.02; done; kill -INT $p
      echo "print(dofile([[asks.lua]]):run().status)" >&7; exec 7>&-; wait $p]=]
    assert.matches("reached_termination at t = 4 s", out)
  end)
end)

describe("standard output", function()
  local commands = { "run asks.lua", "help", "help pid", "--version", "--help", "check asks.lua" }

  it("that is full is exit 1 and a message", function()
    for _, command in ipairs(commands) do
      local status, _, err = shell("$S " .. command .. " >/dev/full")
      assert.equal(1, status, command)
      assert.matches("^saltus: cannot write to standard output[^\n]*\n$", err)
      if command ~= "--help" then assert.matches("No space left on device", err) end -- argparse prints, and drops why
    end
  end)

  it("that is closed is exit 1 and a message", function()
    for _, command in ipairs(commands) do
      local status, _, err = shell("$S " .. command .. " >&-")
      assert.equal(1, status, command)
      assert.matches("^saltus: cannot write to standard output[^\n]*\n$", err)
    end
  end)

  it("that is closed does not become another file", function()
    local status = shell "$S run asks.lua -q --csv closed.csv >&-"
    assert.equal(0, status)
    assert.matches("^time", slurp(folder .. "/closed.csv"))
  end)

  it("whose reader closes it ends the run, and the files are written", function()
    local _, out, err = shell "$S run talk.lua --csv talk.csv | head -n 1; echo ${PIPESTATUS[0]}"
    assert.matches("^0.0\n1\n$", out)
    assert.matches("^saltus: standard output was closed: interrupted at t = %S+\n$", err)
    assert.matches("^time %[s%],x", slurp(folder .. "/talk.csv"))
  end)

  it("whose reader is gone when the program ends is exit 1 without a message", function()
    for _, command in ipairs(commands) do
      local _, out, err = shell("{ sleep 0.1; $S " .. command .. "; echo $? >status; } | true; cat status")
      assert.same({ "1\n", "" }, { out, err }, command)
    end
  end)
end)

describe("a full disk", function()
  it("is exit 1 and a message that names the file", function()
    for _, case in ipairs {
      { "run asks.lua -q --csv /dev/full", "log:csv: /dev/full: No space left on device" },
      { "run endless.lua --duration 1e5 -q --csv /dev/full", "log:csv: /dev/full: No space left on device" },
      { "graph asks.lua --dot /dev/full --svg g.svg", "graph: /dev/full: No space left on device" },
    } do
      local status, _, err = shell("$S " .. case[1])
      assert.same({ 1, "saltus: " .. case[2] .. "\n" }, { status, err })
    end
  end)

  it("is reported together with the failure of a run", function()
    write("fails.lua", [[
      local saltus = require "saltus"
      return saltus.scenario { duration = 1, system = saltus.system { name = "s", z = { { "x", 1 } },
        derivatives = function(ctx, dot) dot.x = ctx.time > 0.5 and 0 / 0 or 1 end } }]])
    local status, _, err = shell "$S run fails.lua -q --csv /dev/full"
    assert.equal(1, status)
    assert.matches("^saltus: the step from t = 0.5 failed", err)
    assert.matches("\nsaltus: log:csv: /dev/full: No space left on device\n$", err)
  end)

  it("and a limit of the file size give the same error", function()
    local status, _, err = shell "ulimit -f 4; $S run asks.lua -q --plot s.html"
    assert.same({ 1, "saltus: log:plot: s.html: File too large\n" }, { status, err })
  end)
end)
