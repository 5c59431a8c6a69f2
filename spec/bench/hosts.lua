-- The benchmarks of hosts: models in two languages, copies and saves of runs, frames, groups.
return function(bench)
  local in_turn, report, build, long = bench.in_turn, bench.report, bench.build, bench.long

  return {
    { "mixed_c_plant", "mixed_lua_plant", run = function()
      local got = in_turn(build .. "/bench/mixed " .. (long and 400000 or 40000))
      if not got then return end
      for _, name in ipairs { "c_plant", "lua_plant" } do
        report { bench = "mixed_" .. name, goal = "<= 1.1", peer = "the sum of its parts alone",
          unit = "ns an evaluation", ours = got[name .. "_mixed"], theirs = got[name .. "_alone"],
          note = name == "c_plant" and "plant in C, controller in Lua" or "plant in Lua, controller in C" }
      end
    end },

    { "budget_lorenz", "budget_ball", run = function()
      local got = in_turn(bench.lua .. " spec/bench/budget.lua")
      if not got then return end
      for _, name in ipairs { "lorenz", "ball" } do
        report { bench = "budget_" .. name, goal = "<= 1.1", peer = "the same without a sandbox", unit = "s",
          ours = got[name .. "_limited"], theirs = got[name .. "_free"], note = "compiled closures under a budget" }
      end
    end },

    { "copy_small", "copy_large", "save_states", "save_delayed", "frame_call", "group_singles",
      "group_diagram", run = function()
      local got = in_turn(build .. "/bench/frames")
      if not got then return end
      for _, size in ipairs { "small", "large" } do
        report { bench = "copy_" .. size, goal = ("<= %.3g s"):format(2 * got["memcpy_" .. size] + 150e-9),
          peer = "memcpy of its save", ours = got["copy_" .. size], theirs = got["memcpy_" .. size], unit = "s",
          note = ("%d bytes"):format(got["bytes_" .. size]) }
      end
      report { bench = "save_states", goal = "<= 3e-06 s", ours = got.states, unit = "s",
        note = "save, load and hash of 100 states with 20 timers" }
      report { bench = "save_delayed", goal = ("<= %.3g s"):format(1.5e-6 + 3 * got.hash_delayed), unit = "s",
        ours = got.delayed, peer = "the hash of its bytes", theirs = got.hash_delayed, note = "256 points of a past" }
      report { bench = "frame_call", goal = "<= 2e-07 s", ours = got.frame_call, unit = "s",
        note = "a frame of one step without anything to do" }
      report { bench = "group_singles", goal = "<= 1.1", peer = "200 simulators", ours = got.group,
        theirs = got.singles, unit = "s", note = "a frame of 200 entities" }
      report { bench = "group_diagram", goal = "<= 0.35", peer = "one diagram", ours = got.group, theirs = got.diagram,
        unit = "s", note = "a frame of 200 entities" }
    end },
  }
end
