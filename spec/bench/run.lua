-- run.lua [NAME]: each benchmark whose name begins with NAME, as a JSON line; the peer is measured in the same run.
-- `ratio` is ours by theirs. A peer that is not installed gives a line without ratio that says so.
local only = arg[1] or ""
local build = os.getenv "SALTUS_BUILD" or "build"
local python = os.getenv "PY" or "python3"
local lua = os.getenv "LUA" or "lua5.4"
local long = os.getenv "BENCH" == "long"
local failed = false

-- Output of a command, nil when it fails.
local function output(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "a"
  return pipe:close() and text or nil, text
end

-- The `key value` lines that a benchmark prints.
local function measure(command)
  local text, complaint = output(command)
  if not text then
    io.stderr:write(complaint)
    failed = true
    return nil
  end
  local found = {}
  for key, value in text:gmatch "(%S+)%s+(%S+)\n" do found[key] = tonumber(value) end
  return found
end

-- Takes commands, or functions that measure, and runs each several times, all in turn: they see the same machine. One
-- that measures its own peers runs several times too.
-- Returns for each the least of every number, or nil if it fails; an empty table where there is no command.
local function in_turn(...)
  local commands, best = table.pack(...), {}
  for i = 1, commands.n do best[i] = {} end
  for _ = 1, long and 10 or 5 do
    for i = 1, commands.n do
      local run = commands[i]
      local got = run and best[i] and (type(run) == "function" and run() or measure(run))
      if run and not got then best[i] = nil end
      for key, value in pairs(best[i] and got or {}) do best[i][key] = math.min(best[i][key] or value, value) end
    end
  end
  return table.unpack(best, 1, commands.n)
end

local function json(value)
  if type(value) == "number" then return ("%.4g"):format(value) end
  return '"' .. value:gsub('[\\"]', "\\%0") .. '"'
end

local keys = { "bench", "ratio", "goal", "peer", "ours", "theirs", "unit", "ratio_4", "ratio_8", "locating_evaluations",
  "evaluations_per_bounce", "evaluations_per_event", "worst_time_error", "events", "blocks", "clocks", "note" }

local function report(line)
  if line.bench:sub(1, #only) ~= only then return end
  line.ratio = line.ours and line.theirs and line.ours / line.theirs
  local parts = {}
  for _, key in ipairs(keys) do
    if line[key] then parts[#parts + 1] = ('"%s":%s'):format(key, json(line[key])) end
  end
  print("{" .. table.concat(parts, ",") .. "}")
  io.stdout:flush()
end

local has_pydrake
local function pydrake()
  if has_pydrake == nil then has_pydrake = output(python .. ' -c "import pydrake"') ~= nil end
  return has_pydrake
end
local no_pydrake = "no peer: " .. python .. " has no pydrake (pip install drake==1.51.1, or PY=another python)"

local bounces_of_pydrake = long and 1000 or 100
local function pydrake_ball()
  return pydrake() and ("%s spec/bench/pydrake_peer.py ball %d"):format(python, bounces_of_pydrake)
end

-- The peers' own programs for events, built in the folder PEERS (build/events_c_o2, or events_c): ns an event.
local no_peers = "no peer: PEERS names no folder with build/events_c_o2"
local function peers()
  local folder, found = os.getenv "PEERS", {}
  local text = folder and output(("cd %s && for p in build/events_c_o2 build/events_c; do test -x $p && exec $p; done")
    :format(folder)) or ""
  for line in text:gmatch "[^\n]+" do
    local problem, peer = line:match '"problem":"([^"]*)","peer":"(%w+)'
    if problem and line:find("rtol=1e-6", 1, true) then
      found[problem .. "_" .. peer] = tonumber(line:match '"wall_s":([^,]+)') * 1e9
        / tonumber(line:match '"events":(%d+)')
    end
  end
  return found
end

local tools = { output = output, measure = measure, in_turn = in_turn, report = report, build = build, python = python,
  lua = lua, long = long }
local earlier = require "spec.bench.earlier"(tools)
tools.earlier = earlier

local benches = {
  { "lua_rhs", "lua_rhs_locals", run = function()
    local got = in_turn(build .. "/bench/rhs")
    if not got then return end
    report { bench = "lua_rhs", goal = "<= 3.6", peer = "bare lua_call", ours = got.named, theirs = got.bare,
      unit = "ns" }
    report { bench = "lua_rhs_locals", goal = "<= 3.0", peer = "bare lua_call", ours = got.locals, theirs = got.bare,
      unit = "ns" }
  end },

  { "math", run = function()
    local got = in_turn(build .. "/bench/math")
    for _, name in ipairs { "sin", "sin_to_1e5", "sin_huge", "cos", "cos_huge", "tan", "tan_huge", "exp", "exp_to_700",
      "log", "log_all", "pow", "pow_all", "atan2", "atan2_all", "hypot", "hypot_all" } do
      report { bench = "math_" .. name, goal = "<= 2", peer = "C library", ours = got and got[name .. "_ours"],
        theirs = got and got[name .. "_theirs"], unit = "ns" }
    end
  end },
  { "c_rhs", run = function()
    local got = in_turn(build .. "/bench/c_rhs")
    if not got then return end
    report { bench = "c_rhs", goal = "<= 1.3", peer = "GSL rk8pd", ours = got.ours, theirs = got.theirs, unit = "ns",
      note = not got.theirs and "no peer: built without GSL" or nil }
  end },

  { "nonstiff_lorenz", "nonstiff_vdp5", "nonstiff_arenstorf", "nonstiff_pleiades", run = function(self)
    for _, name in ipairs(self) do
      if name:sub(1, #only) == only then
        local problem = name:match "^nonstiff_(.*)"
        local got = in_turn(("%s/bench/nonstiff %s"):format(build, problem))
        if not got then return end
        report { bench = name, goal = "<= 1.2", peer = "the best of GSL rk8pd and odeint", ours = got.ours_6,
          theirs = got.theirs_6, unit = "us to an error of 1e-6",
          ratio_4 = got.theirs_4 and got.ours_4 and got.ours_4 / got.theirs_4,
          ratio_8 = got.theirs_8 and got.ours_8 and got.ours_8 / got.theirs_8,
          note = not got.theirs_6 and "no peer: built without GSL and Boost" or nil }
        report { bench = name .. "_each", goal = "<= 1.1", peer = "GSL rk8pd", ours = got.each_ours,
          theirs = got.each_theirs, unit = "ns an evaluation",
          note = not got.each_theirs and "no peer: built without GSL" or nil }
        local drake = problem ~= "pleiades" and pydrake()
          and measure(("%s spec/bench/flows_peer.py pydrake %s"):format(python, problem)) or {}
        if problem ~= "pleiades" then
          report { bench = name .. "_drake", goal = "<= 0.0067", peer = "runge_kutta5 of pydrake", ours = got.ours_6,
            theirs = drake.us, unit = "us to an error of 1e-6", note = not drake.us and no_pydrake or nil }
        end
      end
    end
  end },

  { "lua_lorenz_drake", "lua_lorenz_scipy", "lua_lorenz_dop853", run = function()
    local got = measure(lua .. " spec/bench/lorenz.lua")
    if not got then return end
    local drake = pydrake() and measure(python .. " spec/bench/flows_peer.py pydrake lorenz") or {}
    local scipy = output(python .. ' -c "import scipy"') and measure(python .. " spec/bench/flows_peer.py scipy lorenz")
      or {}
    local no_scipy = not scipy.best and "no peer: " .. python .. " has no scipy" or nil
    local unit = "us to an error of 1e-6"
    report { bench = "lua_lorenz_drake", goal = "<= 0.026", peer = "runge_kutta5 of pydrake", ours = got.us,
      theirs = drake.us, unit = unit, note = not drake.us and no_pydrake or nil }
    report { bench = "lua_lorenz_scipy", goal = "<= 0.167", peer = "the best of SciPy", ours = got.us,
      theirs = scipy.best, unit = unit, note = no_scipy }
    report { bench = "lua_lorenz_dop853", goal = "<= 0.033", peer = "SciPy DOP853", ours = got.us,
      theirs = scipy.dop853, unit = unit, note = no_scipy }
  end },

  { "work_precision", run = function()
    local page = build .. "/bench/work_precision.html"
    local text, complaint = output(("%s spec/bench/work_precision.lua %s"):format(lua, page))
    if not text then
      io.stderr:write(complaint)
      failed = true
    else
      report { bench = "work_precision", note = page }
    end
  end },

  { "stiff_van_der_pol", "stiff_robertson", "stiff_brusselator", "stiff_heat", run = function(self)
    for i, name in ipairs(self) do
      if name:sub(1, #only) == only then
        local got = in_turn(("%s/bench/stiff %s radau5"):format(build, name:match "^stiff_(.*)"))
        if not got then return end
        report { bench = name, goal = i <= 2 and "<= 1.0" or "<= 1.5", peer = "CVODE BDF", ours = got.ours_6,
          theirs = got.theirs_6, unit = "ms to an error of 1e-6",
          ratio_4 = got.theirs_4 and got.ours_4 and got.ours_4 / got.theirs_4,
          ratio_8 = got.theirs_8 and got.ours_8 and got.ours_8 / got.theirs_8,
          note = not got.theirs_6 and "no peer: built without SUNDIALS" or nil }
      end
    end
  end },

  { "event_ball", run = function()
    local got, peer = in_turn(("%s spec/bench/event_ball.lua %d"):format(lua, bounces_of_pydrake), pydrake_ball())
    if not (got and peer) then return end
    report { bench = "event_ball", goal = "<= 0.05 and no evaluation to locate", peer = "pydrake", ours = got.us,
      theirs = peer.us, unit = "us", locating_evaluations = got.locating, evaluations_per_bounce = got.evaluations,
      note = not peer.us and no_pydrake or nil }
  end },

  { "startup", run = function()
    local function watch(repeats, command)
      return function()
        local text = output(("%s/bench/watch %d %s"):format(build, repeats, command))
        return text and { ms = tonumber(text) * 1e3 }
      end
    end
    local ours, theirs = in_turn(watch(long and 200 or 50, lua .. " spec/bench/first_step.lua"),
      pydrake() and watch(long and 15 or 2, python .. " spec/bench/pydrake_peer.py first_step"))
    if not ours then
      failed = true
      return
    end
    theirs = theirs or {}
    report { bench = "startup", goal = "<= 0.025", peer = "pydrake", ours = ours.ms, theirs = theirs.ms,
      unit = "ms", note = not theirs.ms and no_pydrake or nil }
  end },

  { "ball1000", "ball1000_drake", "ball1000_search", "wit100", "wit100_search", run = function()
    local events = "METHOD=runge_kutta5 " .. build .. "/bench/events "
    local ball, plain_ball, many, fine, plain, peer, drake = in_turn(events .. "ball1000 1e-6",
      events .. "ball1000 1e-6 plain", events .. "wit100 1e-6", events .. "wit100 1e-8", events .. "wit100 1e-8 plain",
      peers, pydrake_ball())
    if not (ball and plain_ball and many and fine and plain and drake) then return end
    report { bench = "ball1000", goal = "<= 0.25, <= 20 evaluations, error <= 2e-9 s", peer = "CVODE-Adams",
      ours = ball.ns, theirs = peer.ball1000_CVODE, unit = "ns", evaluations_per_event = ball.evaluations,
      events = ball.events, worst_time_error = ball.worst, note = not peer.ball1000_CVODE and no_peers or nil }
    report { bench = "ball1000_drake", goal = "<= 0.00067", peer = "pydrake", ours = ball.ns,
      theirs = drake.us and drake.us * 1e3, unit = "ns", note = not drake.us and no_pydrake or nil }
    report { bench = "ball1000_search", goal = "<= 1.1", peer = "itself without the search for double crossings",
      ours = ball.ns, theirs = plain_ball.ns, unit = "ns" }
    report { bench = "wit100", goal = "<= 0.8, 20000 events", peer = "native DP5 with dense output", ours = many.ns,
      theirs = peer.wit100_native, unit = "ns", events = many.events,
      note = not peer.wit100_native and no_peers or nil }
    report { bench = "wit100_search", goal = "<= 1.5", peer = "itself without the search for double crossings",
      ours = fine.ns, theirs = plain.ns, unit = "ns" }
  end },

  { "clocks_growth", "clocks_same", "clocks_drake", run = function()
    local clocks = build .. "/bench/clocks "
    local ten, many, thousand = in_turn(clocks .. "10 distinct", clocks .. "10000 distinct", clocks .. "1000 distinct")
    local same, before, why = earlier.compare_program("clocks", "1000 same")
    if not (ten and many and thousand and same) then return end
    report { bench = "clocks_growth", goal = "<= 5", peer = "itself with 10 clocks", ours = many.ns, theirs = ten.ns,
      unit = "ns", clocks = 10000 }
    -- 20 ns where the earlier version takes 14
    report { bench = "clocks_same", goal = "<= 1.4", peer = earlier.name, ours = same.ns,
      theirs = before.ns, unit = "ns", clocks = 1000, note = why or "ten periods share the clocks" }
    local peer = pydrake() and measure(python .. " spec/bench/pydrake_peer.py holds 1000") or {}
    report { bench = "clocks_drake", goal = "<= 0.0004", peer = "pydrake Diagram of 1000 ZeroOrderHolds",
      ours = thousand.ns, theirs = peer.ns, unit = "ns", clocks = 1000, note = not peer.ns and no_pydrake or nil }
  end },

  { "schedule_growth", run = function()
    local few, many = in_turn(build .. "/bench/scheduled 100", build .. "/bench/scheduled 40000")
    if not (few and many) then return end
    report { bench = "schedule_growth", goal = "<= 5", peer = "itself with 100 scheduled", ours = many.ns,
      theirs = few.ns, unit = "ns", note = "40,000 scheduled" }
  end },

  -- The reference values go to each program's stdin; what it prints is timed at an error of at most 1e-6 there.
  { "delayed_c", "delayed_lua", "delayed_c_dede", "delayed_lua_dede", run = function()
    local file = assert(io.open "spec/data/dde/hutchinson.json")
    local problem = require("dkjson").decode(file:read "a")
    file:close()
    local words = {}
    for i, y in ipairs(problem.reference.y) do words[i] = ("%.17g"):format(y[1]) end
    local feed = ("echo '%s' | "):format(table.concat(words, " ", 2))
    local c = measure(feed .. build .. "/bench/delayed 1e-6")
    local closure = measure(feed .. lua .. " spec/bench/delayed.lua 1e-6")
    if not (c and closure) then return end
    local has_jitcdde = output(python .. ' -c "import jitcdde, sympy"') ~= nil
    local has_dede = output 'Rscript -e "library(deSolve)"' ~= nil
    local jitcdde = has_jitcdde and measure(feed .. python .. " spec/bench/jitcdde_peer.py 1e-6") or {}
    local dede = has_dede and measure(feed .. "Rscript spec/bench/dede_peer.R 1e-6") or {}
    local function line(name, goal, peer, ours, theirs, missing)
      report { bench = name, goal = goal, peer = peer, ours = ours.us, theirs = theirs.us, unit = "us a run",
        note = theirs.us and ("errors %.2g, %.2g; evaluations %d, %d"):format(ours.error, theirs.error,
          ours.evaluations // 1, theirs.evaluations // 1) or "no peer: " .. missing }
    end
    local no_python, no_r = python .. " has no jitcdde (pip install jitcdde sympy)", "Rscript has no deSolve"
    line("delayed_c", "<= 0.2", "jitcdde", c, jitcdde, no_python)
    line("delayed_lua", "<= 0.2", "jitcdde", closure, jitcdde, no_python)
    line("delayed_c_dede", "<= 0.05", "deSolve dede", c, dede, no_r)
    line("delayed_lua_dede", "<= 0.05", "deSolve dede", closure, dede, no_r)
  end },

  { "delay_counts", run = function()
    local ours = measure(lua .. " spec/bench/delay_counts.lua")
    if not ours then return end
    local peers_of = { jitcdde = output(python .. ' -c "import jitcdde, sympy"')
        and measure(python .. " spec/bench/jitcdde_counts.py") or {},
      dede = output 'Rscript -e "library(deSolve)"' and measure "Rscript spec/bench/dede_counts.R" or {} }
    for _, problem in ipairs { "linear_unit_lag", "hutchinson", "mackey_glass_a1", "state_dependent_c1" } do
      local function count(of) return of[problem .. "_evaluations"] and of[problem .. "_evaluations"] // 1 or "none" end
      report { bench = "delay_counts", unit = "evaluations at 1e-6", ours = count(ours),
        note = ("%s: error %.2g; jitcdde %s, dede %s"):format(problem, ours[problem .. "_error"],
          count(peers_of.jitcdde), count(peers_of.dede)) }
    end
  end },

  { "delay_buffer", "delay_read", "delay_buffer_growth", run = function()
    local few, many = in_turn(build .. "/bench/delay 10", build .. "/bench/delay 1000000")
    local ours, before, why = earlier.compare_program("delay", "10")
    if not (few and many and ours) then return end
    report { bench = "delay_buffer", goal = "<= 1.1", peer = earlier.name, ours = ours.append_read,
      theirs = before.append_read, unit = "ns", note = why or "append and read of 3 values" }
    report { bench = "delay_read", goal = "<= 1.1", peer = earlier.name, ours = ours.read, theirs = before.read,
      unit = "ns", note = why }
    report { bench = "delay_buffer_growth", goal = "flat", peer = "itself with 10 points", ours = many.read,
      theirs = few.read, unit = "ns", note = "read with the reader's place, of 1000000 points" }
  end },

  { "wiring_chain", "wiring_ring", "wiring_drake", "wiring_growth", "wiring_build", run = function()
    local function wiring(kind, count) return ("%s/bench/wiring %s %d"):format(build, kind, count) end
    local got = {}
    for _, kind in ipairs { "chain", "ring" } do
      local ours, before, why = earlier.compare_program("wiring", kind .. " 1000")
      local few, many = in_turn(wiring(kind, 10), wiring(kind, 10000))
      if not (ours and few and many) then return end
      got[kind] = { [1000] = ours, [10000] = many }
      report { bench = "wiring_" .. kind, goal = "<= 1.1", peer = earlier.name, ours = ours.ns, theirs = before.ns,
        unit = "ns a block and evaluation", blocks = 1000, note = why }
      report { bench = "wiring_growth", goal = "<= 1.3", peer = "itself with 10 blocks", ours = many.ns,
        theirs = few.ns, unit = "ns", blocks = 10000, note = kind }
    end
    local peer = pydrake() and measure(python .. " spec/bench/pydrake_peer.py gains 1000") or {}
    report { bench = "wiring_drake", peer = "pydrake Diagram of 1000 Gains", ours = got.chain[1000].ns,
      theirs = peer.ns, unit = "ns a block and evaluation", blocks = 1000, note = not peer.ns and no_pydrake or nil }
    report { bench = "wiring_build", goal = "<= 20 us a block; <= 1.3", peer = "itself with 1000 blocks",
      ours = got.chain[10000].build_us, theirs = got.chain[1000].build_us, unit = "us", blocks = 10000 }
  end },

  { "lua_parts", "lua_parts_build", "lua_parts_growth", run = function()
    local got = in_turn(lua .. " spec/bench/wiring.lua 1000")
    local many, before, why = earlier.compare_script "wiring.lua 10000"
    if not got or not many then return end
    report { bench = "lua_parts", goal = "<= 300 ns a call", ours = got.chain_ns, unit = "ns", blocks = 1000,
      note = "a chain of gains" }
    report { bench = "lua_parts", goal = "<= 300 ns a call", ours = got.ring_ns, unit = "ns", blocks = 1000,
      note = "a ring of lags" }
    report { bench = "lua_parts_build", goal = "<= 1.1", peer = earlier.name, ours = many.build_us,
      theirs = before.build_us, unit = "us a part", blocks = 10000, note = why }
    report { bench = "lua_parts_growth", goal = "<= 1.3", peer = "itself with 1000 parts", ours = many.build_us,
      theirs = got.build_us, unit = "us a part", blocks = 10000 }
  end },

  { "lua_blocks_build", "lua_blocks_growth", run = function()
    local function chain(count) return ("%s spec/bench/blocks.lua %d"):format(lua, count) end
    local few, most = in_turn(chain(1000), long and chain(100000))
    local many, before, why = earlier.compare_script "blocks.lua 10000"
    if not (few and many) then return end
    report { bench = "lua_blocks_build", goal = "<= 1.1", peer = earlier.name, ours = many.build_s,
      theirs = before.build_s, unit = "s", blocks = 10000,
      note = why or ("each made and wired in Lua; %.0f bytes of Lua a block"):format(many.bytes) }
    report { bench = "lua_blocks_growth", goal = "<= 1.3", peer = "itself with 1000 blocks", ours = many.build_us,
      theirs = few.build_us, unit = "us", blocks = 10000 }
    if long and most then
      report { bench = "lua_blocks_growth", goal = "<= 1.3", peer = "itself with 10000 blocks", ours = most.build_us,
        theirs = many.build_us, unit = "us", blocks = 100000 }
    end
  end },

  { "cart_pole", "cart_pole_c", run = function()
    local seconds = 25
    local got, c, peer = in_turn(("%s spec/bench/cart_pole.lua %d"):format(lua, seconds),
      ("%s/bench/pid_loop %d"):format(build, seconds),
      pydrake() and ("%s spec/bench/pydrake_peer.py cart_pole %d"):format(python, long and 100 or 10))
    if not (got and c and peer) then return end
    report { bench = "cart_pole", goal = "<= 0.005", peer = "pydrake Diagram, plant in Python", ours = got.us,
      theirs = peer.us, unit = "us", note = not peer.us and no_pydrake or "plant in Lua" }
    report { bench = "cart_pole_c", goal = "<= 0.005", peer = "pydrake Diagram, plant in Python", ours = c.us,
      theirs = peer.us, unit = "us", note = not peer.us and no_pydrake or "plant in C" }
  end },

  { "lua_handlers", run = function()
    local has = output(python .. ' -c "import simpy"') ~= nil
    local got, peer = in_turn(lua .. " spec/bench/handlers.lua 1000",
      has and python .. " spec/bench/simpy_peer.py 1000")
    if not (got and peer) then return end
    report { bench = "lua_handlers", goal = "<= 0.286, <= 300 ns", peer = "SimPy", ours = got.ns, theirs = peer.ns,
      unit = "ns", clocks = 1000, note = not peer.ns and "no peer: " .. python .. " has no simpy" or nil }
  end },
}

for _, name in ipairs { "waits", "hosts", "sweeps" } do
  local more = require("spec.bench." .. name)(tools)
  table.move(more, 1, #more, #benches + 1, benches)
end

for _, bench in ipairs(benches) do
  local wanted = false
  for _, name in ipairs(bench) do wanted = wanted or name:sub(1, #only) == only end
  if wanted then bench:run() end
end
os.exit(not failed, true)
