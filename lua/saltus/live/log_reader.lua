-- Moves what a log records to the trace of a live run: rows, points between them where the values are known, and
-- events. A live run may last for hours, so the log is replaced when it is long.
local log = require "saltus.output.log"
local log_columns = require "saltus.output.log_columns"
local names = require "saltus.util.names"

local log_reader = { MOST_ROWS = 20000, MOST_EVENTS = 2000 }

local MOST_COLUMNS = 48
local FINEST = 16 -- pieces of a step

local LogReader = {}
LogReader.__index = LogReader

local function index_of(list)
  local out = {}
  for i, value in ipairs(list or {}) do out[value] = i end
  return out
end

local function attach(self, live_log)
  self.log, self.sources, self.rows_read, self.events_read = live_log, {}, 0, 0
  local inner = log_columns.inner_of(live_log)
  self.is_curve, self.gap = inner.rec.is_curve, log_columns.GAP
  for i, c in ipairs(log_columns.flat(live_log)) do
    if i > MOST_COLUMNS then break end
    self.sources[i] = c.source
    self.columns[i] = self.columns[i] or { name = c.name, whole = c.whole and c.whole.name, unit = c.unit,
      modes = c.modes, held = c.held, word = index_of(c.modes) }
  end
end

-- What a live run logs of a scenario's log: its paths and functions, at each step.
function log_reader.spec(given)
  local spec, own = {}, names.of(log.options)
  for key, value in pairs(given or {}) do
    if not names.index_of(own, key) or type(value) == "function" then spec[key] = value end
  end
  return spec
end

-- `spacing`: seconds between two points of a curve, about.
function log_reader.new(sim, live_log, spec, spacing)
  local self = setmetatable({ sim = sim, spec = spec, spacing = spacing, columns = {}, events = {}, counts = {},
    last_event = 0 },
    LogReader)
  attach(self, live_log)
  return self
end

local function value(self, i, row, share)
  local source = self.sources[i]
  local v = share == 0 and source[row] or source(row, share)
  return type(v) == "number" and v or self.columns[i].word[v] or 0 / 0
end

local function append(self, trace, row, share)
  local time, out = self.log.time, {}
  for i = 1, #self.sources do out[i] = value(self, i, row, self.columns[i].held and 0 or share) end
  local t = time[row]
  trace:append(share == 0 and t or t + share * (time[row + 1] - t), out)
end

local function read_rows(self, trace)
  local time, marks = self.log.time, self.log.marks
  for row = self.rows_read + 1, #time do
    local is_curve = row > 1 and self.is_curve(row - 1) and marks[row] ~= self.gap
    local pieces = is_curve and math.min(FINEST, math.ceil((time[row] - time[row - 1]) / self.spacing)) or 1
    for k = 1, pieces - 1 do append(self, trace, row - 1, k / pieces) end
    append(self, trace, row, 0)
  end
  self.rows_read = #time
end

local function read_events(self, trace)
  local fired, list = self.log.events, self.events
  for i = self.events_read + 1, #fired do
    local name = fired[i].name
    self.counts[name] = (self.counts[name] or 0) + 1
    self.last_event = self.last_event + 1
    list[#list + 1] = { number = self.last_event, name = name, time = fired[i].time, serial = trace.last }
  end
  self.events_read = #fired
  if #list > log_reader.MOST_EVENTS then self.events = table.move(list, #list // 2, #list, 1, {}) end
end

-- Moves what is new.
function LogReader:pull(trace)
  read_rows(self, trace)
  read_events(self, trace)
  if #self.log.time < log_reader.MOST_ROWS and #self.log.events < log_reader.MOST_ROWS then return end
  self.log = nil
  collectgarbage() -- frees the recorder of the old log
  attach(self, log.new(self.sim, self.spec))
end

-- After the simulator has loaded a save with these counts, when the trace ended with that serial number: the log has
-- dropped what came after.
function LogReader:rewind(serial, counts)
  self.rows_read, self.events_read = serial > 0 and #self.log.time or 0, #self.log.events
  self.counts = names.merged(counts)
  while #self.events > 0 and self.events[#self.events].serial > serial do table.remove(self.events) end
end

-- Continues the events of another run.
function LogReader:continue(other)
  self.events, self.counts, self.last_event = other.events, other.counts, other.last_event
end

return log_reader
