-- The closures of events: which one has which number, and the event that a handler is passed.
local constants = require("saltus.core").constants
local context = require "saltus.simulation.context"
local names = require "saltus.util.names"

local event_closures = {}

local PER_EVENT = constants.layout.per_event

-- The i-th closure of a list of events, from 0: its kind, the function, its name in messages, and its event if it is
-- passed one.
function event_closures.at(events, i)
  local event, j = events[i // PER_EVENT + 1], i % PER_EVENT
  local what = ("event %q"):format(event.name)
  if j == 0 and event.becomes then return "when", event.becomes, "`becomes` of " .. what end
  if j == 0 then return "witness", event.witness, "the witness of " .. what end
  if j == 1 then return "when", event.when, "`when` of " .. what end
  if j == 2 then return "next_time", event.next_time, "next_time of " .. what end
  if j == 3 then return event.kind, event.handler, what, event end
  return "unrestricted_update", event.on_zeno, "on_zeno of " .. what, event
end

-- The i-th finder of a list of events, from 0.
function event_closures.finder_at(events, i)
  for _, event in ipairs(events) do
    local named = event.finders and #event.finders or 0
    local here = named + #(event.slices or {})
    if i < named then return "witness", event.finders[i + 1], ("witness %d of event %q"):format(i + 1, event.name) end
    i = i - here
  end
end

local fields = { "name", "count", "interval", "before", "limit" }

-- The event that handler c is passed. Its adapter sets the fields.
function event_closures.shown(c)
  return setmetatable({ name = c.event.name }, {
    __index = function(event, key)
      local of_step = c.event.trigger == "witness" or c.event.trigger == "change"
      if key == "before" and of_step and rawget(event, "interval") then
        return context.new(c.core, c.model, context.BEFORE, false, c.path)
      end
      if names.index_of(fields, key) then return nil end
      return error(names.unknown(("field %%s of the event in %s"):format(c.label), key, fields), 2)
    end,
    __newindex = function(event, key, value)
      if names.index_of(fields, key) then return rawset(event, key, value) end
      return require("saltus.closure.diagnostics").raise_event_write_error(c, key)
    end,
  })
end

return event_closures
