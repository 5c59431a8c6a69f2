-- saltus.stories(sim): stories of a run, coroutines that wait for times and conditions while the simulator advances.
--
--   local stories = saltus.stories(sim)
--   stories:spawn("visitor", function(s, run) s:wait(2) run.door = "open" end)
--   sim:advance_to(10)
local names = require "saltus.util.names"
local preconditions = require "saltus.simulation.preconditions"
local host = require "saltus.story.host"
local snapshot = require "saltus.story.snapshot"

local stories = {}

-- What a simulator with stories does in another way.
local function advance_to(sim, t)
  preconditions.assert_idle(sim, preconditions.RUNS)
  preconditions.check_inputs(sim)
  preconditions.check_future_time(sim, t, "advance_to")
  return host.run(sim.inner.stories, t)
end

-- Stories that are due, or that the updates wake, go on too.
local function advance_pending_events(sim)
  preconditions.assert_idle(sim, preconditions.RUNS)
  preconditions.check_inputs(sim)
  return host.run(sim.inner.stories, sim.core:time(0))
end

local instead = {
  advance_to = advance_to,
  save = function(sim) return snapshot.save(sim.inner.stories) end,
  load = function(sim, saved) return snapshot.load(sim.inner.stories, saved) end,
  advance_pending_events = advance_pending_events }

-- Returns the stories of a simulator, the same object each time. journal = false: the run cannot be saved or cloned,
-- and stories may read anything.
function stories.of(sim, options)
  names.check(names.kind(sim) == "simulator", sim, "saltus.stories takes a simulator")
  options = options or {}
  names.check_keys(options, { "journal" }, "option %s of saltus.stories")
  names.check_type(options.journal, "boolean", "saltus.stories: journal must be true or false")
  local known = sim.inner.stories
  if known then
    names.fail_if(options.journal ~= nil and options.journal ~= known.has_journal,
      "saltus.stories: the stories of this run exist already, with journal = %s", tostring(known.has_journal))
    return known
  end
  names.fail_if(sim.core:is_lent(), "saltus.stories: the simulator is lent to a program in C, whose advances run no "
    .. "stories")
  preconditions.assert_idle(sim, "stories are added between calls only, not by a closure of the run")
  local self = host.new(sim, options.journal ~= false)
  sim.inner.stories, sim.inner.is_changed = self, true
  for name, method in pairs(instead) do rawset(sim, name, method) end
  return self
end

-- A clone has the same stories.
function stories.copy(from, to)
  local own = from.inner.stories
  own:copy_to(stories.of(to, { journal = own.has_journal }))
end

return stories
