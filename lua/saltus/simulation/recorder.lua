-- Recorders: the engine's sampled signals as read-only sequences.
local names = require "saltus.util.names"
local preconditions = require "saltus.simulation.preconditions"

local number_of = require("saltus.core").constants.partition

local recorder = {}

local function function_channel(self, fn, name)
  local seen = self.inner.seen
  local function value()
    local v = fn(seen)
    if type(v) ~= "number" then
      local at = names.defined(fn)
      local where = at and at .. ": " or ""
      error(("%s%q of the log returned %s; it must return a number"):format(where, name, names.show(v)), 0)
    end
    return v
  end
  return { part = 1, size = 1, ["function"] = self.core:anchor_table { value } }
end

local function entry_channel(channel)
  local e = channel.entry
  if e.partition == "output" then return { part = channel.part, size = e.size, output = e.index } end
  return { part = channel.part, size = e.size, partition = number_of[e.partition], at = e.offset }
end

-- The names of events that stories emitted, by their numbers and by themselves.
local function emitted(self) return self.inner.stories and self.inner.stories.event_names or {} end

local Fired = names.closing("an event of a log", { "part" }, { "time", "name", "part" })

-- rec.events: { time =, name =, part = } in order of firing, read at each access.
local function events(self, rec)
  local function get(_, i)
    if math.type(i) ~= "integer" then return nil end
    local time, part, event = rec:event(i)
    if not time then return nil end
    local p = self.model.parts[part] -- none where a story emitted the event
    local name = p and names.join(p.path, p.system.events[event].name) or emitted(self)[event] or "emitted " .. event
    return setmetatable({ time = time, name = name, part = p and part }, Fired)
  end
  return setmetatable({}, { __index = get, __len = function() return rec:events() end,
    __newindex = function() names.fail("a log's events are read-only") end })
end

local function check(channels, every)
  local function refuse(what, got) names.fail("recorder: %s, got %s; saltus.log takes names", what, names.show(got)) end
  if type(channels) ~= "table" then refuse("it takes a list of channels", channels) end
  for i, channel in ipairs(channels) do
    local sound = type(channel) == "table" and (type(channel.fn) == "function" and type(channel.name) == "string"
      or math.type(channel.part) == "integer" and type(channel.entry) == "table" and channel.entry.partition)
    if not sound then refuse(("channel %d must be { part =, entry = } or { fn =, name = }"):format(i), channel) end
  end
  if every ~= nil and not (type(every) == "number" and every > 0) then
    refuse("every must be a number of seconds greater than 0", every)
  end
end

-- The columns of all channels, on one side of the jumps if `side` is given; a list of columns for a vector.
local function columns_of(rec, channels, side)
  local out, at = {}, 3 -- after the time and the marks
  for i, channel in ipairs(channels) do
    local e = channel.entry
    if e and e.vector then
      out[i] = {}
      for k = 1, e.size do out[i][k] = rec:column(at + k - 1, side) end
      at = at + e.size
    else
      out[i] = rec:column(at, side)
      at = at + 1
    end
  end
  return out
end

-- `channels`: { part =, entry = } or { fn = function(ctx), name = } each. rec.time, rec.marks, rec.columns[i] (a list
-- of sequences for a vector), rec.events; rec.rec: the engine's own. rec.is_curve(row): whether the values between this
-- row and the next are known. A sequence called as column(row, share) returns its value at that fraction of the way to
-- the next row. rec.emitted() has the names of events that stories emit. rec.jumps, of a recorder with a period: time,
-- marks, and the columns before and after each update between the rows.
function recorder.new(self, channels, every)
  check(channels, every)
  preconditions.assert_idle(self, preconditions.RECORDS)
  self.inner.is_changed = true
  local list = names.map(channels, function(channel)
    return channel.fn and function_channel(self, channel.fn, channel.name) or entry_channel(channel)
  end)
  local rec = self.core:recorder(list, every)
  local jumps = { time = rec:column(1, "before"), marks = rec:column(2, "before"),
    before = columns_of(rec, channels, "before"), after = columns_of(rec, channels, "after") }
  return { rec = rec, time = rec:column(1), marks = rec:column(2), columns = columns_of(rec, channels), jumps = jumps,
    events = events(self, rec), emitted = function() return emitted(self) end, every = every,
    is_curve = function(row) return rec:is_curve(row) end }
end

return recorder
