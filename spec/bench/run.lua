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

local function json(value)
  if type(value) == "number" then return ("%.4g"):format(value) end
  return '"' .. value:gsub('[\\"]', "\\%0") .. '"'
end

local keys = { "bench", "ratio", "goal", "peer", "ours", "theirs", "unit", "locating_evaluations",
  "evaluations_per_bounce", "note" }

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

local benches = {
  { "lua_rhs", "lua_rhs_locals", run = function()
    local got = measure(build .. "/bench/rhs")
    if not got then return end
    report { bench = "lua_rhs", goal = "<= 3.6", peer = "bare lua_call", ours = got.named, theirs = got.bare,
      unit = "ns" }
    report { bench = "lua_rhs_locals", goal = "<= 3.0", peer = "bare lua_call", ours = got.locals, theirs = got.bare,
      unit = "ns" }
  end },

  { "c_rhs", run = function()
    local got = measure(build .. "/bench/c_rhs")
    if not got then return end
    report { bench = "c_rhs", goal = "<= 1.3", peer = "GSL rk8pd", ours = got.ours, theirs = got.theirs, unit = "ns",
      note = not got.theirs and "no peer: built without GSL" or nil }
  end },

  { "event_ball", run = function()
    local bounces = long and 1000 or 100
    local got = measure(("%s spec/bench/event_ball.lua %d"):format(lua, bounces))
    if not got then return end
    local peer = pydrake() and measure(("%s spec/bench/pydrake_peer.py ball %d"):format(python, bounces)) or {}
    report { bench = "event_ball", goal = "<= 0.05 and no evaluation to locate", peer = "pydrake", ours = got.us,
      theirs = peer.us, unit = "us", locating_evaluations = got.locating, evaluations_per_bounce = got.evaluations,
      note = not peer.us and no_pydrake or nil }
  end },

  { "startup", run = function()
    local function watch(repeats, command)
      local text = output(("%s/bench/watch %d %s"):format(build, repeats, command))
      return text and tonumber(text) * 1e3
    end
    local ours = watch(long and 200 or 50, lua .. " spec/bench/first_step.lua")
    if not ours then
      failed = true
      return
    end
    local theirs = pydrake() and watch(long and 15 or 4, python .. " spec/bench/pydrake_peer.py first_step")
    report { bench = "startup", goal = "<= 0.025", peer = "pydrake", ours = ours, theirs = theirs or nil, unit = "ms",
      note = not theirs and no_pydrake or nil }
  end },
}

for _, bench in ipairs(benches) do
  local wanted = false
  for _, name in ipairs(bench) do wanted = wanted or name:sub(1, #only) == only end
  if wanted then bench.run() end
end
os.exit(not failed, true)
