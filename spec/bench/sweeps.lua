-- Sweeps and new simulators of a known system, beside an earlier version of this repository and SciPy. The earlier
-- version is built in a worktree in build/bench/before; without it in the history, the lines say so.
local BEFORE = "e362e25"

-- bench: output, measure, report, build, python, lua of run.lua. Returns a list of benchmarks.
return function(bench)
  local folder = bench.build .. "/bench/before"

  local built
  -- The folder with the earlier version, built once; nil and why.
  local function before()
    if built then return table.unpack(built) end
    built = { nil, ("no peer: this clone has no commit %s, or it does not build"):format(BEFORE) }
    local here = bench.output "pwd":gsub("%s+$", "")
    if folder:sub(1, 1) ~= "/" then folder = here .. "/" .. folder end
    local there = bench.output(("test -e %s/build/lua/saltus/core.so"):format(folder))
      or bench.output(("git worktree prune && git worktree add --force --detach %s %s && make -s -C %s -j2 BUILD=build"
        .. " all"):format(folder, BEFORE, folder))
    if there then built = { folder } end
    return table.unpack(built)
  end

  -- Measures a script of this folder with the earlier version.
  local function measure_before(script)
    local there, why = before()
    if not there then return {}, why end
    local paths = ("LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;;' LUA_CPATH='%s/build/lua/?.so;;'"):format(there, there,
      there)
    return bench.measure(("cd %s && %s %s $OLDPWD/spec/bench/%s"):format(there, paths, bench.lua, script)) or {}
  end

  local function line(name, goal, ours, before_script)
    local got = bench.measure(("%s spec/bench/%s"):format(bench.lua, ours))
    if not got then return end
    local then_, why = measure_before(before_script)
    bench.report { bench = name, goal = goal, peer = "itself at " .. BEFORE, ours = got.us, theirs = then_.us,
      unit = "us a run", note = why }
    return got
  end

  return {
    { "sweep_ball", "sweep_ball_short", "sweep_ball_scipy", run = function()
      local got = line("sweep_ball", "<= 0.05", "sweep_ball.lua 3 10000", "sweep_ball.lua 3 1000 before")
      line("sweep_ball_short", "<= 0.0222", "sweep_ball.lua 0.3 10000", "sweep_ball.lua 0.3 1000 before")
      if not got then return end
      local has = bench.output(bench.python .. ' -c "import scipy"')
      local peer = has and bench.measure(bench.python .. " spec/bench/sweep_peer.py 3 1000") or {}
      bench.report { bench = "sweep_ball_scipy", goal = "<= 0.02", peer = "a loop of SciPy's solve_ivp", ours = got.us,
        theirs = peer.us, unit = "us a run",
        note = not peer.us and "no peer: " .. bench.python .. " has no scipy" or nil }
    end },
    { "fresh_lorenz", "fresh_ball", run = function()
      line("fresh_lorenz", "<= 0.65", "fresh.lua lorenz 10", "fresh.lua lorenz 10")
      line("fresh_ball", "<= 0.35", "fresh.lua ball 0.3", "fresh.lua ball 0.3")
    end },
  }
end
