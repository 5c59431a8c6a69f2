-- The benchmarks of what waits: stories, formulas while a run goes on, watches.
return function(bench)
  local output, in_turn, report, python, lua = bench.output, bench.in_turn, bench.report, bench.python, bench.lua

  return {
    { "story_wait", "story_waits", "story_parked", "story_until", run = function()
      local has = output(python .. ' -c "import simpy"') ~= nil
      local note = not has and "no peer: " .. python .. " has no simpy" or nil
      local function compare(name, goal, count, each)
        local got, peer = in_turn(("%s spec/bench/stories.lua %d %d"):format(lua, count, each),
          has and ("%s spec/bench/simpy_waits.py %d %d"):format(python, count, each))
        if not (got and peer) then return end
        report { bench = name, goal = goal, peer = "SimPy", ours = got.ns, theirs = peer.ns, unit = "ns",
          events = count, note = note or ("%d stories"):format(count) }
        return got
      end
      compare("story_wait", "<= 0.167", 1, 200000)
      local many = compare("story_waits", "<= 0.0833", 100000, 4)
      if many then
        report { bench = "story_parked", goal = "<= 1300", ours = many.bytes, unit = "bytes", note = "each" }
      end
      local got = in_turn(lua .. " spec/bench/stories.lua until")
      if not got then return end
      report { bench = "story_until", goal = "<= 1.5", peer = "the same flow with a witness", ours = got.until_ns,
        theirs = got.witness_ns, unit = "ns", note = "a period of an oscillator" }
    end },

    { "online_formula", run = function()
      local got = in_turn(lua .. " spec/bench/formula.lua")
      if not got then return end
      report { bench = "online_formula", goal = "<= 3", peer = "a step without it", ours = got.monitor - got.plain,
        theirs = got.plain, unit = "ns a step",
        note = ("four operators; its two watches alone: %.0f ns"):format(got.watch - got.plain) }
    end },

    { "watch_met", run = function()
      local got = in_turn(lua .. " spec/bench/watches.lua")
      if not got then return end
      report { bench = "watch_met", goal = "<= 1.5", peer = "an event with the same witness", ours = got.watch,
        theirs = got.event, unit = "ns" }
    end },

    { "empty_advance", run = function()
      local got, before, why = bench.earlier.compare_script "empty_advance.lua"
      if not got then return end
      report { bench = "empty_advance", goal = "<= 0.5", peer = bench.earlier.name, ours = got.ns, theirs = before.ns,
        unit = "ns", note = why or "an advance that makes no step" }
    end },
  }
end
