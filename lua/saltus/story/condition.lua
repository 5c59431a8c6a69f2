-- What a story can wait for. Each kind of condition is an object with these methods:
--
--   arm(host, story, index)   true if it is met already; else it will wake the story with that index
--   withdraw()                the story waits for it no longer, or chose another condition: what it got is given back
--   finish()                  the wait ended with it
--   value()                   what the wait returns
--   text()                    for messages
--   margin(host)              how far it is from being met, a negative number; nil: unknown
local journal = require "saltus.story.journal"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local watches = require "saltus.watch"

local condition = {}

local function nothing() return nil end

local function kind(name)
  local class = { __name = "saltus.story_condition", kind = name, withdraw = nothing, value = nothing, margin = nothing,
    finish = nothing }
  class.__index = class
  return class
end

condition.new_kind = kind

-- ---- a time ----

local Time = kind "time"

function Time:arm(host, story, index) story:arm_timer(host.run.time + self.seconds, index) end

function Time:text() return numerals.format("%.6g s", self.seconds) end

-- ---- an event of the model, or one that a story emits ----

local Event = kind "event"

function Event:arm(host, story, index)
  self.host, self.story = host, story
  local part, event = host.sim.model:event(self.name)
  if part then return story:arm_event(part, event.index, index) end
  host:warn_of_event(self.name)
  story:arm_list(self.name, index)
end

function Event:value()
  local emitted = self.host.emitted[self.name]
  return emitted and emitted.data
end

function Event:text() return ("event %q"):format(self.name) end

function condition.event(name)
  names.check(type(name) == "string", name, "an event is given by its name")
  return setmetatable({ name = name }, Event)
end

-- ---- the end of another story ----

local End = kind "end"

function End:arm(_, story, index)
  if self.other:state() == "ended" then return true end
  story:arm_list(self.other, index)
end

function End:text() return ("the end of story %q"):format(self.name) end

-- ---- words, or a function that returns a margin ----

local Watch = kind "watch"

-- Returns the handle of a new watch; 0 if its condition is met already.
local function add_watch(host, given)
  local handle, is_met = watches.add_idle(host.sim, given)
  return is_met and 0 or handle
end

local key_of = setmetatable({}, { __mode = "k" }) -- of functions, in journals

local function key_of_watch(self)
  local key = key_of[self.given]
  if key then return key end
  key = "the watch of " .. self:text()
  if type(self.given) == "function" then key_of[self.given] = key end
  return key
end

function Watch:arm(host, story, index)
  local handle = journal.read(host, key_of_watch(self), add_watch, host, self.given)
  if handle == 0 then return true end
  self.handle, host.watching[handle] = handle, self.given
  story:arm_list(-handle, index)
end

function Watch:withdraw()
  local host, handle = self.host, self.handle
  if not handle then return end
  self.handle, host.watching[handle] = false, nil
  journal.act(host, watches.remove_idle, host.sim, handle)
end

Watch.finish = Watch.withdraw

function Watch:value() return true end

function Watch:text()
  if type(self.given) == "string" then return ("%q"):format(self.given) end
  return "the function at " .. (names.defined(self.given) or "?")
end

-- Reads the context itself: a function that computes a margin is called by the engine, too.
function Watch:margin(host)
  local fn = self.given
  if type(fn) == "string" then fn = require("saltus.formula").condition(fn, host.sim.model) end
  return fn(host.sim.context)
end

-- ---- all of them ----

local GIVEN = "a condition is words like \"level < 1\", a function that returns a margin, seconds, s:event \"name\", a "
  .. "story, or a request"

-- Returns the condition that a user's value stands for.
function condition.of(value, host)
  local given = type(value)
  if given == "string" or given == "function" then
    return setmetatable({ given = value, host = host, handle = false }, Watch)
  end
  if given == "table" and type(value.arm) == "function" then return value end
  if given == "number" then
    names.check(value >= 0, value, "seconds must not be negative or NaN")
    return setmetatable({ seconds = value }, Time)
  end
  if given == "userdata" and host.is_story(value) then
    names.fail_if(value.stories ~= host, "a story can wait for the stories of its own run only")
    return setmetatable({ other = value, name = host:name(value) }, End)
  end
  names.check(false, value, GIVEN)
end

return condition
