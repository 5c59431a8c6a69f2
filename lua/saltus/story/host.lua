-- The stories of one simulator: names, shared things, failures, and the end of a run.
local core = require "saltus.core"
local emits = require "saltus.story.emits"
local errors = require "saltus.simulation.errors"
local journal = require "saltus.story.journal"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local outcome = require "saltus.simulation.outcome"
local parked = require "saltus.story.parked"
local random = require "saltus.simulation.random"
local repeatability = require "saltus.closure.repeatability"
local roots = require "saltus.story.roots"
local run_view = require "saltus.story.run_view"
local serialize = require "saltus.util.serialize"
local status = require "saltus.simulation.status"
local trace = require "saltus.story.trace"
local watch = require "saltus.watch"
local verbs = require "saltus.story.verbs"

local host = {}

local weak = { __mode = "k" }

local hosts = setmetatable({}, weak)

function outcome.is_in_story()
  for self in pairs(hosts) do
    if self.kernel:current() then return true end
  end
  return false
end

local Host = { __name = "saltus.stories" }

function Host:__index(key)
  if key == "statistics" then return Host.count(self) end
  return Host[key]
end

-- What a run of stories begins with; a load begins another one.
local function blank()
  return { queues = names.closed({}, "the queues of a run"), seats_of = {}, emitted = {}, waits = {}, keys = {},
    event_names = {}, key_count = 0, watching = {}, spawned = 0 }
end

local of_a_run = { "kernel", "run", "stop_message" }
for name in pairs(blank()) do of_a_run[#of_a_run + 1] = name end

function host.new(sim, has_journal)
  local self = setmetatable({ sim = sim, roots = roots.new(), is_story = verbs.is_story,
    listeners = setmetatable({}, weak), searched = setmetatable({}, weak), name_of = setmetatable({}, weak),
    has_journal = has_journal, DEADLINE = core.constants.story.deadline }, Host)
  self.random = random.new(function() return self.kernel:draw() end, "s")
  self.index = verbs.index_of(self)
  self.end_story, self.trace_turn, self.fail = host.end_story, trace.turn, names.fail
  self:begin()
  hosts[self] = true
  return self
end

-- Begins without stories, or with the journal of a saved run, whose stories are then told again.
function Host:begin(time, seed, bytes)
  for name, value in pairs(blank()) do self[name] = value end
  self.kernel = core.stories(self.sim.core, self)
  if time then self.kernel:start(time, seed) end
  self.start_time, self.seed = self.kernel:start()
  if self.has_journal then self.kernel:keep_journal(bytes) end
  self.run = run_view.new(self)
  self.kernel:set_traced(self.tracer ~= nil)
end

function Host:started() return self.start_time, self.seed end

-- ---- loading: all or nothing ----

function Host:state()
  local out = { start_time = self.start_time, seed = self.seed }
  for _, name in ipairs(of_a_run) do out[name] = self[name] end
  return out
end

function Host:restore(before)
  if self.kernel ~= before.kernel then self.kernel:close() end
  for _, name in ipairs(of_a_run) do self[name] = before[name] end
  self.start_time, self.seed = before.start_time, before.seed
end

local function know_watches(sim, list)
  local code = 0
  for _, handle in ipairs(names.sorted_keys(list)) do
    code = code == 0 and watch.know(sim, handle, list[handle]) or code
  end
  return code
end

local function forget_watches(sim, list)
  for _, handle in ipairs(names.sorted_keys(list)) do
    if sim.inner.watches and sim.inner.watches[handle] then sim:unwatch(handle) end
  end
end

-- Loads the simulator, which must know the watches that stories wait for. Returns the engine's status.
function Host:load_engine(bytes, before)
  local sim, backup = self.sim, self.sim.core:save()
  forget_watches(sim, before.watching)
  local code = know_watches(sim, self.watching)
  code = code == 0 and sim.core:load(bytes) or code
  if code == 0 then return 0 end
  forget_watches(sim, self.watching)
  know_watches(sim, before.watching)
  sim.core:load(backup)
  return code
end

function Host:end_load(before)
  before.kernel:close()
  self.roots:keep(self.spawned)
end

-- ---- stories of the host ----

-- The name of a story, as messages have it.
function Host:name(story)
  return self.name_of[story] or "story " .. story:id()
end

-- Called when a story ends that has seats: they are given back.
function host.end_story(self, story)
  local seats = self.seats_of[story:id()]
  self.seats_of[story:id()] = nil
  for _, seat in ipairs(seats or {}) do seat:release() end
end

-- ---- what the host may do between calls, and stories at any time ----

local function spawn(self, name, fn, ...)
  local story = self.kernel:spawn(fn, self.run, ...)
  self.name_of[story] = name
  return story
end

-- Once for each function.
local function warn_of_draws(self, name, fn)
  if self.searched[fn] then return end
  self.searched[fn] = true
  local label = name and ("story %q"):format(name) or "a story"
  local warning = repeatability.of_story(label, fn, self.run.time)
  if warning then status.add_warning(self.sim, warning) end
end

-- A story waits for an event that no event of the model has and that no story is known to emit, but a name is near.
function Host:warn_of_event(name)
  if self.searched[name] or self.emitted[name] then return end
  self.searched[name] = true
  local near = names.typo_of(name, self.sim.model:event_paths())
  if not near or emits.of(self.sim)[name] then return end
  local story = self:name(self.kernel:current())
  status.add_warning(self.sim, { time = self.run.time, kind = "unknown_event", message = numerals.format(
    "story %q waits for %q, which is no event of the model, and which no story is known to emit; did you mean %q? "
    .. "(at t = %t)", story, name, near, self.run.time) })
end

-- stories:spawn([name,] fn, ...): fn(s, run, ...) begins when the run goes on.
function Host:spawn(name, fn, ...)
  if type(name) == "function" then return self:spawn(nil, name, fn, ...) end
  names.check_type(name, "string", "spawn: the name of a story must be a string")
  names.check(type(fn) == "function", fn, "spawn takes a function of (s, run)")
  if name then names.check_label(name, "spawn: the name") end
  local lockstep = self.sim.inner.lockstep
  if lockstep then require("saltus.closure.lockstep.check").check_story(lockstep, name, fn) end
  if not self.kernel:current() then
    warn_of_draws(self, name, fn)
    self.roots:keep(self.spawned)
    self.roots:add(name, fn, ...)
    self.spawned = self.spawned + 1
  end
  return spawn(self, name, fn, ...)
end

-- What the host did itself is done again from the journal.
function Host:spawn_again()
  names.fail_if(self.spawned == self.roots.count, "the saved run has more stories than were spawned here")
  self.spawned = self.spawned + 1
  spawn(self, self.roots:get(self.spawned))
end

function Host:cancel_again(id)
  local story = self.kernel:stories()[id]
  names.fail_if(not story, "the journal cancels a story that does not exist")
  self:cancel(story)
end

function Host:emit_again(bytes)
  local what = serialize.decode(bytes)
  self:emit(what.name, what.data)
end

-- The same stories on another simulator, before it loads.
function Host:copy_to(other)
  other.roots = self.roots:copy()
end

-- Events that stories emit have numbers in logs, by the order of their first emits.
local function number_of_event(self, name)
  local list = self.event_names
  if not list[name] then
    list[#list + 1] = name
    list[name] = #list
  end
  return list[name]
end

-- Those who listen to what stories emit: formulas. host.listeners[halt] = { [name] = { i, ... } }
local function tell_listeners(listeners, name)
  for halt, of in pairs(listeners) do
    for _, i in ipairs(of[name] or {}) do halt:fire(i) end
  end
end

-- Wakes the stories that wait for an event of this name. An event of the model with at = "demand" runs with the updates
-- of this instant.
function Host:emit(name, data)
  names.check(type(name) == "string", name, "emit takes the name of an event")
  self.kernel:check_acting()
  local part, event = self.sim.model:event(name)
  if part then
    names.fail_if(event.trigger ~= "demand", "emit: %q is an event of the model with its own trigger; only one with "
      .. "at = \"demand\" can be emitted", name)
    return journal.act(self, self.sim.demand, self.sim, name)
  end
  if self.has_journal and not self.kernel:current() and not self.kernel:is_retelling() then
    self.kernel:note_emit(serialize.encode { name = name, data = data })
  end
  journal.act(self, tell_listeners, self.listeners, name)
  self.emitted[name] = { data = data, time = self.run.time, count = (self.emitted[name] or { count = 0 }).count + 1 }
  journal.act(self, self.kernel.observe, self.kernel, number_of_event(self, name))
  self.kernel:wake_list(name)
end

-- Ends a story where it waits. Returns false if it has ended before.
function Host:cancel(story)
  names.check(verbs.is_story(story), story, "cancel takes what spawn returned")
  if story:state() == "ended" then return false end
  self.kernel:check_acting()
  names.fail_if(story.stories ~= self, "cancel: this is a story of another run")
  names.fail_if(story:state() == "running", "a story cannot cancel itself; it returns")
  local waits = self.waits[story:id()]
  self.waits[story:id()] = nil
  if waits then waits:withdraw() end
  self.kernel:cancel(story)
  return true
end

-- Calls fn(line) each time that a story goes on; nil: no longer.
function Host:trace(fn)
  names.check_type(fn, "function", "trace takes a function of a line, or nil")
  self.tracer, self.traced = fn, {}
  self.kernel:set_traced(fn ~= nil)
end

-- How often stories were resumed, how many there are, and the size of the journal.
function Host:count()
  local _, wakes, timers, number, draws = self.kernel:counts()
  return { draws = draws, wakes = wakes, timers = timers, stories = number, journal_bytes = self.kernel:journal_size() }
end

-- The stories that wait: { { name =, line =, waits_for =, margin = }, ... }; tostring() of it is a table.
function Host:parked() return parked.list(self) end

-- ---- the run ----

local ends = {}

function ends.engine(self, ...) return status.raise_or_return_status(self.sim, ...) end

function ends.stopped(self)
  local why = self.stop_message
  self.stop_message = nil
  return status.terminated(self.sim, self.run.time, why)
end

local function raise(self, story, object, traceback)
  local name, time = self:name(story), self.run.time
  if type(object) == "string" then object = numerals.format("%s (in story %q at t = %t)", object, name, time) end
  self.sim.inner.status = nil
  self.sim.inner.failure = errors.failure { reason = "story_failed", error = object, traceback = traceback, time = time,
    story = name }
  error(object, 0)
end

function ends.failed(self, story, object, traceback) return raise(self, story, object, traceback) end

function ends.endless(self, story)
  local most = self.sim.options.max_events_per_instant or 1000
  raise(self, story, ("%s: the story was resumed %d times without time passing; let it wait for a time or for "
    .. "something that changes, or raise max_events_per_instant"):format(parked.line(story) or "?", most))
end

local function finish(self, kind, ...) return ends[kind](self, ...) end

function host.run(self, t)
  outcome.last_made = false
  return finish(self, self.kernel:run(t))
end

-- As core:advance_frame.
function Host:run_frame(...)
  outcome.last_made = false
  local result = table.pack(self.kernel:run_frame(...))
  finish(self, table.unpack(result, 4, result.n))
  return result[1], result[2], result[3]
end

-- One step towards t, as for sim:steps.
function Host:step(t) return finish(self, self.kernel:run(t, true)) end

names.with_colon(Host, Host.__name)
names.closed(Host, "the stories of a run", { "stop_message", "traced", "tracer" }, { "spawn", "emit", "cancel", "trace",
  "parked", "queues", "run", "statistics" })

return host
