-- Saving, loading and cloning a run whose stories are under way. A coroutine cannot be saved; the stories are told
-- again from the journal instead.
local core = require "saltus.core"
local context = require "saltus.simulation.context"
local names = require "saltus.util.names"
local parked = require "saltus.story.parked"
local preconditions = require "saltus.simulation.preconditions"

local snapshot = {}

local HEAD = "saltus stories 2\n"
local FORMAT = "<dI8s8s8s8"
local WAIT = "<I4I4" -- the id of a story, and a number for what it waits for at last, which the journal does not have

local function check_upvalues(host, what)
  local changed = host.roots:find_change()
  names.fail_if(changed, "%s: %s, so it cannot be replayed; keep the value in a local variable of the story, in "
    .. "the system, or in a store", what, changed)
end

local ELSE = "it waits for something else here than in the saved run"
local MORE = "it waits here, and did not in the saved run"
local LESS = "a story waited in the saved run that does not wait here"

-- Where the waits differ from those of the saved run: the story if it waits here, and how; nil if they do not.
local function first_difference(host, saved)
  local here = host.kernel:wait_digests()
  if here == saved then return nil end
  local was, size = {}, WAIT:packsize()
  for at = 1, #saved - size + 1, size do
    local id, digest = WAIT:unpack(saved, at)
    was[id] = digest
  end
  for at = 1, #here, size do
    local id, digest = WAIT:unpack(here, at)
    if was[id] ~= digest then return host.kernel:stories()[id], was[id] and ELSE or MORE end
  end
  return nil, LESS
end

function snapshot.save(host)
  names.fail_if(not host.has_journal, "save: the run has stories and journal = false")
  names.fail_if(host.kernel:is_running(), preconditions.KEEPS)
  preconditions.assert_idle(host.sim, preconditions.KEEPS)
  check_upvalues(host, "save")
  local time, seed = host:started()
  local body = HEAD .. string.pack(FORMAT, time, seed, host.kernel:journal(), host.kernel:wait_digests(),
    host.sim.core:save())
  return body .. core.hash(body)
end

local function read(host, saved)
  names.check(type(saved) == "string", saved, "load takes what save returned")
  local body = saved:sub(1, -17)
  local ok, time, seed, journal, waits, engine
  if saved:sub(1, #HEAD) == HEAD and core.hash(body) == saved:sub(-16) then
    ok, time, seed, journal, waits, engine = pcall(string.unpack, FORMAT, body, #HEAD + 1)
  end
  names.fail_if(not ok or time ~= time, "load: this was not saved by a simulator of %q with stories, or it is damaged",
    host.sim.model.name)
  return { time = time, seed = seed, journal = journal, waits = waits, engine = engine }
end

-- print and io.write, which stories use: nothing is printed twice.
local function silently(fn, ...)
  local print_before, write_before = print, io and io.write
  _G.print = function() end
  if io then rawset(io, "write", function() return io.stdout end) end
  local results = table.pack(pcall(fn, ...))
  _G.print = print_before
  if io then rawset(io, "write", write_before) end
  return table.unpack(results, 1, results.n)
end

local function retell(host, saved)
  host:begin(saved.time, saved.seed, saved.journal)
  local ok, why, story = silently(host.kernel.retell, host.kernel)
  host.stop_message = nil
  if not ok then return why end
  if why == "failed" then return tostring(story) end
  if not why then story, why = first_difference(host, saved.waits) end
  if not why then return nil end
  local where = type(story) == "userdata" and parked.line(story)
  return ("%s%s; the functions of the stories must be those with which the run was saved"):format(
    where and ("%s: story %q: "):format(where, host:name(story)) or "the stories: ", why)
end

-- Nothing changes if it fails.
function snapshot.load(host, saved)
  names.fail_if(not host.has_journal, "load: the run has stories and journal = false")
  names.fail_if(host.kernel:is_running(), preconditions.KEEPS)
  preconditions.assert_idle(host.sim, preconditions.KEEPS)
  saved = read(host, saved)
  check_upvalues(host, "load")
  context.show(host.sim.core, nil)
  local before = host:state()
  local why = retell(host, saved)
  local code = why and 0 or host:load_engine(saved.engine, before)
  if why or code ~= 0 then host:restore(before) end
  names.fail_if(why, "load: %s", why)
  names.fail_if(code ~= 0, "load: this was not saved by a simulator of %q, or it is damaged", host.sim.model.name)
  host:end_load(before)
end

return snapshot
