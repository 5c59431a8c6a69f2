-- What stories do: the verbs of `s`. They act for the story that runs, so any story's `s` will do.
local condition = require "saltus.story.condition"
local core = require "saltus.core"
local journal = require "saltus.story.journal"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local resource = require "saltus.story.resource"
local store = require "saltus.story.store"
local tank = require "saltus.story.tank"

local verbs = core.story_verbs

local module = {}

-- The host of the story that runs, for a verb that waits.
local function waiting_host(s)
  s:token() -- raises unless a story runs and can wait here
  return s.stories
end

local function check_within(options, what)
  if options == nil then return nil end
  names.check(type(options) == "table", options, "%s: options are a table like { within = 5 }", what)
  names.check_keys(options, { "within" }, "option %s", what)
  local within = options.within
  names.check(within == nil or type(within) == "number" and within >= 0, within,
    "%s: within must be a number of seconds, not negative", what)
  return within
end

-- ---- waits ----

local ENDLESS = "%d waits that took no time at t = %t: the story never lets time pass; wait for a time, or for what "
  .. "changes (max_events_per_instant is their limit)"

-- A wait that was met at once.
local function pass(s, host)
  names.fail_if(s:pass(), ENDLESS, host.sim.options.max_events_per_instant or 1000, host.run.time)
end

local function raise_late(what, within, margin)
  names.fail("waited %s s in vain for %s%s", numerals.shortest(within), what,
    margin and numerals.format("; its margin is %.6g now", margin) or "")
end

-- Parks the story until one of the armed conditions wakes it; returns its index, or nil at the deadline.
local function park(story, host, what, within, count)
  local id = story:id()
  if within then story:arm_deadline(host.kernel:time() + within) end
  host.waits[id] = what
  local index = story:park(count)
  host.waits[id] = nil
  return index ~= host.DEADLINE and index or nil
end

-- Waits until the condition is met; it goes on if it is met already. Returns its value, such as the item of a store.
local function wait_for(s, host, one, within)
  local story = host.kernel:current()
  if one:arm(host, story, 1) then
    pass(s, host)
    return one:value()
  end
  if not park(story, host, one, within) then
    local margin = journal.read(host, "a margin", one.margin, one, host)
    one:withdraw()
    raise_late(one:text(), within, margin)
  end
  one:finish()
  return one:value()
end

function verbs.wait_until(s, given, options)
  local host = waiting_host(s)
  return wait_for(s, host, condition.of(given, host), check_within(options, "wait_until"))
end

function verbs.wait_event(s, name, options)
  local host = waiting_host(s)
  return wait_for(s, host, condition.event(name), check_within(options, "wait_event"))
end

-- Several conditions as one: what a parked story waits for.
local List = {}
List.__index = List

function List:text()
  return self.quantifier .. " of " .. table.concat(names.map(self, function(one) return one:text() end), ", ")
end

-- All of them but the one that was chosen.
function List:withdraw(chosen, last)
  for i = 1, last or #self do
    if i ~= chosen then self[i]:withdraw() end
  end
end

local function conditions_of(given, host, quantifier)
  names.check(type(given) == "table", given, "wait_%s takes a list of conditions", quantifier)
  names.fail_if(#given == 0, "wait_%s takes a list of conditions, got an empty one", quantifier)
  local list = setmetatable({ quantifier = quantifier }, List)
  for i = 1, #given do list[i] = condition.of(given[i], host) end
  return list
end

local function raise_list_late(list, within)
  list:withdraw()
  raise_late(list:text(), within)
end

-- Waits until one of the conditions is met. Returns its index, the lowest one of those that are met at one instant, and
-- its value.
function verbs.wait_any(s, given, options)
  local host = waiting_host(s)
  local list, within = conditions_of(given, host, "any"), check_within(options, "wait_any")
  local story = host.kernel:current()
  for i, one in ipairs(list) do
    if one:arm(host, story, i) then
      list:withdraw(i, i)
      pass(s, host)
      s:disarm()
      return i, one:value()
    end
  end
  local index = park(story, host, list, within)
  if not index then raise_list_late(list, within) end
  list:withdraw(index)
  list[index]:finish()
  return index, list[index]:value()
end

-- Waits until each of the conditions has been met at some time since.
function verbs.wait_all(s, given, options)
  local host = waiting_host(s)
  local list, within = conditions_of(given, host, "all"), check_within(options, "wait_all")
  local story, missing = host.kernel:current(), 0
  for i, one in ipairs(list) do missing = missing + (one:arm(host, story, i) and 0 or 1) end
  if missing == 0 then return pass(s, host) end
  if not park(story, host, list, within, missing) then raise_list_late(list, within) end
  for _, one in ipairs(list) do one:finish() end
end

-- A condition for wait_any and wait_all.
function verbs.event(_, name) return condition.event(name) end

-- Waits until the time t.
function verbs.at(s, t)
  local host = waiting_host(s)
  names.check(type(t) == "number" and t >= host.kernel:time(), t, "at takes a time that is not in the past")
  s:park_until(t)
end

-- for t in s:every(p) do: at each multiple of p seconds from now, the first one after p.
function verbs.every(s, period)
  local host = waiting_host(s)
  names.check(numerals.is_positive(period), period, "every takes a period in seconds, greater than 0")
  local start, k = host.kernel:time(), 0
  return function()
    k = k + 1
    local t = start + k * period
    if t > host.kernel:time() then s:at(t) else pass(s, host) end
    return t, k
  end
end

-- Moves an input on a straight line to `value`, and waits until it is there.
function verbs.ramp(s, path, value, options)
  local host = waiting_host(s)
  local over = options
  if type(options) == "table" then over = options.over end
  names.check(type(options) == "table" and numerals.is_positive(over), over,
    "ramp: over must be a number of seconds greater than 0, as in s:ramp(%q, 1, { over = 5 })", numerals.text(path))
  names.check_keys(options, { "over" }, "option %s", "ramp")
  local stop = host.run.time + options.over
  journal.act(host, host.sim.feed, host.sim, path, stop, value)
  s:at(stop)
end

-- ---- the run and other stories ----

function verbs.spawn(s, ...) return s.stories:spawn(...) end

function verbs.emit(s, name, data) return s.stories:emit(name, data) end

-- The name of this story, not of the one that runs.
function verbs.name(s) return s.stories:name(s) end

function verbs.cancel(s, story) return s.stories:cancel(story) end

-- Fails the run unless `holds`: words, a function that returns a margin or a boolean, or a value.
function verbs.expect(s, holds, text)
  local host = s.stories
  if type(holds) ~= "string" and type(holds) ~= "function" then
    names.fail_if(not holds, "expected %s", text or "a true value")
    return holds
  end
  local one = condition.of(holds, host)
  local margin = journal.read(host, "a margin", one.margin, one, host)
  local is_number = type(margin) == "number"
  names.check(is_number or type(margin) == "boolean", margin, "the function of expect returns a margin, true or false")
  names.fail_if(not margin, "expected %s", text or one:text())
  names.fail_if(is_number and not (margin >= 0), "expected %s; its margin is %.6g", text or one:text(), margin)
  return margin
end

local STOPPED = { is_stopped = true, text = function() return "the next advance" end, withdraw = function() end }

-- Ends the run with this message, as saltus.terminate does. The next advance goes on after it.
function verbs.stop(s, why)
  local host = waiting_host(s)
  names.check_type(why, "string", "stop takes the reason, a string")
  host.stop_message = why or ""
  host.kernel:stop()
  host.kernel:requeue()
  local story = host.kernel:current()
  host.waits[story:id()] = STOPPED
  s:park()
  host.waits[story:id()] = nil
end

-- ---- random numbers: a stream for each story ----

function verbs.random(s) return s.stories.kernel:draw() end

function verbs.exponential(s, mean) return s.stories.random:exponential(mean) end

function verbs.normal(s, mean, deviation) return s.stories.random:normal(mean, deviation) end

function verbs.uniform(s, a, b)
  names.check(numerals.is_finite(a) and numerals.is_finite(b), a, "uniform takes two numbers")
  return a + (b - a) * s.stories.kernel:draw()
end

function verbs.integer(s, a, b) return s.stories.random:integer(a, b) end

-- Calls fn(...), which reads something outside of the run, and returns its result.
function verbs.read(s, fn, ...)
  names.check(type(fn) == "function", fn, "read takes a function")
  return journal.read_outside(s.stories, fn, ...)
end

-- ---- shared things ----

function verbs.resource(s, given) return resource.new(s.stories, given) end

function verbs.store(s, given) return store.new(s.stories, given) end

function verbs.tank(s, given) return tank.new(s.stories, given) end

-- Those of C check their story themselves.
local in_lua = {}
for name, fn in pairs(verbs) do in_lua[name] = core.getinfo(fn, "S").what ~= "C" and fn or nil end
names.with_colon(in_lua, "saltus.story")
for name, fn in pairs(in_lua) do verbs[name] = fn end

-- ---- what a host needs ----

function module.is_story(value) return core.is_story(value) end

-- Those of the kernel, which are no verbs for users.
local own = { "park", "park_until", "arm_timer", "arm_deadline", "arm_list", "arm_event", "token", "wake",
  "is_waiting", "state", "thread", "unbegun", "pass", "hold_seats", "disarm" }

local function public_names()
  local out = { "time", "run" }
  for name in pairs(verbs) do
    if not names.index_of(own, name) then out[#out + 1] = name end
  end
  table.sort(out)
  return out
end

local fields = {
  time = function(host) return host.kernel:time() end,
  run = function(host) return host.run end,
}

-- What the stories of a host find in s: the verbs, and its fields.
function module.index_of(host)
  local own_verbs = names.merged(verbs)
  own_verbs.stories = host
  return setmetatable(own_verbs, { __index = function(_, key)
    if fields[key] then return fields[key](host) end
    local text = names.unknown("verb %s of a story", key, public_names())
    names.fail("%s%s", text, text:find("; did you mean", 1, true) and "" or "; see saltus help stories")
  end })
end

return module
