-- The output handler of busted in a process that `saltus test` started: it writes what happens as events, between what
-- the specs print. merged_results.lua reads them.
--
-- An event is the mark of this run, the number of its bytes, and a table: { kind = "start" | "end" | "problem" |
-- "exit", id = of the element, ... }.
local serialize = require "saltus.util.serialize"
local worker = require "saltus.testing.runner.worker"

local Reporter = {}
Reporter.__index = Reporter

local function plain_fields(of, fields)
  local out = {}
  for _, field in ipairs(fields) do
    local value = of[field]
    if type(value) ~= "table" and type(value) ~= "function" and type(value) ~= "userdata" then out[field] = value end
  end
  return out
end

local function trace_of(trace)
  return type(trace) == "table" and plain_fields(trace, { "short_src", "source", "what", "currentline", "linedefined",
    "traceback" }) or nil
end

function Reporter:write(event)
  local bytes = serialize.encode(event)
  io.stdout:write(self.mark, #bytes, ":", bytes)
  io.stdout:flush()
end

-- The number of an element: a file, a block or a test.
function Reporter:id(element)
  if not self.ids[element] then
    self.count = self.count + 1
    self.ids[element] = self.count
  end
  return self.ids[element]
end

function Reporter:start(channel, element, parent)
  worker.end_if_caught()
  local event = plain_fields(element, { "name", "descriptor", "randomseed", "starttime", "starttick" })
  event.kind, event.channel, event.id, event.trace = "start", channel, self:id(element), trace_of(element.trace)
  event.parent = parent and self.ids[parent]
  self:write(event)
end

function Reporter:finish(channel, element, status)
  local event = plain_fields(element, { "endtime", "endtick", "duration" })
  event.kind, event.channel, event.id, event.status = "end", channel, self:id(element), status
  self:write(event)
end

-- A failure, an error or a pending test. A part of a test, such as before_each, has not started as an element.
function Reporter:problem(status, element, message, trace)
  local event = plain_fields(element, { "name", "descriptor" })
  event.kind, event.status, event.id = "problem", status, self:id(element)
  event.element_trace, event.trace = trace_of(element.trace), trace_of(trace)
  event.parent = self.ids[require("busted").parent(element)]
  event.message = message ~= nil and tostring(message) or nil
  self:write(event)
end

function Reporter:subscribe()
  local busted = require "busted"
  local function on(channel, action)
    busted.subscribe(channel, function(...)
      action(...)
      return nil, true -- the other subscribers are called too
    end)
  end
  for _, channel in ipairs { "file", "describe", "test" } do
    on({ channel, "start" }, function(element, parent) self:start(channel, element, parent) end)
    on({ channel, "end" }, function(element, _, third)
      self:finish(channel, element, third)
    end)
  end
  for _, status in ipairs { "failure", "error", "pending" } do
    on({ status }, function(element, _, message, trace) self:problem(status, element, message, trace) end)
  end
  on({ "exit" }, function() self:write { kind = "exit" } end)
end

return function(options)
  return setmetatable({ mark = options.arguments[1], ids = {}, count = 0 }, Reporter)
end
