-- Random calls of the Lua face, in random order, with right and wrong arguments, from outside and from closures of the
-- run. Whatever happens is a value or an error that is meant for users; a call that refuses its arguments leaves the
-- run as it is; and afterwards the run can still be saved, loaded, cloned and gone on with.
--
-- SEQUENCES=100000 SEED=7 for more, and others; a failure names the seed of its sequence, and SEQUENCES=1 SEED=that
-- repeats it. VERBOSE=1 prints its calls.
local saltus = require "saltus"
local cases = require "spec.support.cases"
local deeds = require "spec.support.calls.deeds"
local new_model = require "spec.support.calls.model"
local random = require "spec.support.random"

local sequences = tonumber(os.getenv "SEQUENCES") or cases(os.getenv "STRESS" and 1500 or 300)
local first_seed = tonumber(os.getenv "SEED") or 1
local verbose = os.getenv "VERBOSE"

-- ---- what an error may say ----

-- Never seen by users: Lua's own words for a slip in lua/saltus, or for an argument nobody looked at.
local internal = { "attempt to %a+", "stack traceback", "assertion failed", "lua/saltus/[%w_/]+%.lua:",
  "invalid value %(", "C stack overflow", "number has no integer", "out of range", "table index is", "saltus%.core" }

-- A slip of a closure of ours.
local ours = { "api_spec%.lua", "spec/support/calls/%l+%.lua" }

local function leaked(wrong)
  local text = wrong
  if type(wrong) == "table" then
    local mt = getmetatable(wrong)
    text = rawget(wrong, "message") or rawget(wrong, "planned") or mt and mt.__tostring and tostring(wrong)
  end
  if type(text) == "number" then return end -- `error` itself as a closure, called with a time
  if type(text) ~= "string" then return "an error that is " .. type(wrong) .. " without a message" end
  if text == "" then return "an empty error" end
  for _, place in ipairs(ours) do if text:find("^[^:]*" .. place .. ":%d+: attempt to") then return end end
  for _, pattern in ipairs(internal) do
    if text:find(pattern) then return text end
  end
end

-- ---- a sequence ----

local function told(w, what, ...)
  if not verbose then return end
  local parts = {}
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    parts[i] = type(value) == "string" and ("%q"):format(value:sub(1, 40)) or tostring(value):sub(1, 60)
  end
  print(("%s%s(%s)"):format(("  "):rep(w.depth), what, table.concat(parts, ", ")))
end

local problems

local function complain(w, what, wrong)
  local text = ("%s: %s"):format(what, tostring(wrong):sub(1, 400))
  local kind = text:gsub("%d+", ""):gsub("got [%a%.%* ]+", "")
  if problems[kind] then return end -- told
  problems[kind] = true
  problems[#problems + 1] = ("SEED=%d: %s"):format(w.seed, text)
end

local function judge(w, what, ok, wrong)
  if ok then return end
  local leak = leaked(wrong)
  if leak and not w.internal_error_of_user[wrong] then complain(w, what, leak) end
end

local function do_one(w)
  local pack = table.pack(deeds.by_name[w.random:pick(deeds.names)](w))
  local what, moves, deed = pack[1], pack[2], pack[3] -- and its arguments
  told(w, what, table.unpack(pack, 4, pack.n))
  local before = not moves and w.depth == 0 and w.sim:hash()
  local ok, wrong = pcall(deed)
  if verbose and not ok then print("  ! " .. tostring(wrong):sub(1, 200)) end
  judge(w, what, ok, wrong)
  if not ok and before and w.sim:hash() ~= before then complain(w, what .. " failed and changed the run", wrong) end
end

local function new_world(seed, folder)
  local w = { seed = seed, random = random.new(seed), logs = {}, depth = 0, folder = folder,
    internal_error_of_user = {} }
  -- What closures do: mostly nothing, now and then a call of the run that they belong to, or an error of their own.
  function w.meddle()
    if w.depth > 2 or not w.random:chance(0.02) then return end
    if w.random:chance(0.2) then error(w.random:pick { "planned", { planned = "an object" } }, 0) end
    w.depth = w.depth + 1
    do_one(w)
    w.depth = w.depth - 1
  end
  w.wild = w.random:chance(0.2)
  w.system = new_model(w)
  w.sim = saltus.simulator(w.system, { max_steps_per_call = 100, seed = seed,
    integrator = w.random:pick { "tsitouras5", "radau5", "auto", "runge_kutta3" }, max_step = 0.2,
    fixed_step = w.random:chance(0.2) })
  w.saved = w.sim:save()
  return w
end

-- The run still does what a run does.
local function check_usable(w)
  w.meddle = function() end
  w.sim.monitor = nil
  w.sim.target_realtime_rate = 0
  local saved, hash = w.sim:save(), w.sim:hash()
  local other = w.sim:clone()
  assert(other:hash() == hash, "a clone differs")
  other:load(saved)
  assert(other:hash() == hash and w.sim:hash() == hash, "what was loaded differs")
  local ok, wrong = pcall(other.advance_to, other, other.context.time + 0.1)
  judge(w, "going on", ok, wrong)
  w.sim:load(saved)
  assert(w.sim:hash() == hash, "a run does not come back")
end

local function run_sequence(seed, folder)
  local w = new_world(seed, folder)
  for _ = 1, w.random:integer(5, 25) do do_one(w) end
  local ok, wrong = pcall(check_usable, w)
  if not ok then complain(w, "afterwards", wrong) end
end

describe("random calls", function()
  it("return values or errors for users, and leave a run that continues", function()
    local folder = os.tmpname()
    os.remove(folder)
    os.execute("mkdir -p " .. folder)
    problems = {}
    for seed = first_seed, first_seed + sequences - 1 do
      local ok, wrong = pcall(run_sequence, seed, folder)
      if not ok then complain({ seed = seed }, "sequence", wrong) end
      if #problems >= 40 then break end
    end
    os.execute("rm -rf " .. folder)
    assert.equal("", table.concat(problems, "\n"))
  end)
end)
