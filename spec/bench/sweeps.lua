-- Sweeps and new simulators of a known system, beside an earlier version of this repository and SciPy.
return function(bench)
  local function line(name, goal, ours, before_script)
    local got, before, why = bench.earlier.compare_script(ours, before_script)
    if not got then return end
    bench.report { bench = name, goal = goal, peer = bench.earlier.name, ours = got.us, theirs = before.us,
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
