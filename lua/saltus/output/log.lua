-- Logs: the recorded values of a simulator, by the users' names.
--
--   local log = saltus.log(sim, { "height", power = function(ctx) ... end, every = 0.01 })
--   log.time[#log.time], log["height"], log:times "bounce"
--
-- With `at = "demand"` only log:sample() adds rows. `most_rows = 10000` bounds the memory: at that many rows every
-- second one is dropped, and from then on half as many are recorded.
--
-- A column is { name, unit, values, size, modes, held }; the values of a vector are rows, tables of `size` numbers.
-- Files and plots read columns, never the recorder.
local bisection = require "saltus.util.bisection"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local log_columns = require "saltus.output.log_columns"
local model = require "saltus.model.flat_model"
local variable = require "saltus.model.variable"

local log = {}
local find, inner_of = log_columns.find, log_columns.inner_of

local methods = {}

-- Options besides paths and functions: one table for checks, help and documentation.
log.options = {
  { name = "every", doc = "seconds between rows, and for plots both sides of each jump; default: each step, both sides "
    .. "of each jump, and the interpolant between them" },
  { name = "at", doc = "\"demand\": a row only for each log:sample()" },
  { name = "most_rows", doc = "at least 16; at so many rows every second one is dropped, and half as many follow" },
}

local option_names = names.of(log.options)

-- The recorder's interval: nil for each step, infinity for at = "demand".
local function interval_of(spec)
  local at, every = spec.at, spec.every
  names.check(every == nil or numerals.is_positive(every), every,
    "saltus.log: every must be a period in seconds, greater than 0 and finite")
  if at == nil or type(at) == "function" then return every end
  names.check(at == "demand", at, 'saltus.log: at can be "demand" only')
  if every then names.fail "saltus.log: give every or at = \"demand\", not both" end
  return math.huge
end

local function bound_of(spec)
  local most = spec.most_rows
  if most == nil or type(most) == "function" then return 0 end
  names.check(math.type(most) == "integer" and most >= 16, most,
    "saltus.log: most_rows must be a whole number of at least 16")
  return most
end

-- Paths to log: those given in order, or every state and output.
local function paths_of(spec)
  local paths = {}
  for i, path in ipairs(spec) do
    names.check(type(path) == "string", path, "saltus.log: [%d] must be a path like \"height\"", i)
    paths[i] = path
  end
  return paths
end

local everything = { "q", "v", "z", "discrete", "outputs" }

local function all_paths(m)
  return m:all_paths(function(system)
    return names.filter(variable.in_ctx(system, everything), function(e) return not e.abstract end)
  end)
end

local function functions_of(spec)
  local out = {}
  for _, key in ipairs(names.sorted_keys(spec)) do
    local position = math.type(key) == "integer" and key >= 1 and key <= #spec
    local is_function = type(key) == "string" and type(spec[key]) == "function" and key ~= "every"
    if not position and not is_function and not names.index_of(option_names, key) then
      names.fail("saltus.log: %s must be a function of ctx; write paths without a key; every = is the period%s",
        type(key) == "string" and key or names.show(key), names.near_hint(key, option_names))
    end
    if is_function then
      names.check_label(key, "saltus.log: a name")
      out[#out + 1] = key
    end
  end
  return out
end

-- One channel for each entry, however many of its elements are wanted.
local function plan(m, spec)
  local channels, wanted, channel_of = {}, {}, {}
  local keys = functions_of(spec)
  local paths = paths_of(spec)
  if #paths == 0 and #keys == 0 then paths = all_paths(m) end
  for _, path in ipairs(paths) do
    local part, e, index = m:resolve(path)
    if not part then names.fail("saltus.log: %s", e) end
    names.fail_if(e.abstract,
      "saltus.log: %q is abstract%s; log a function of ctx that makes a number of it", path,
      e.partition == "abstract" and " state" or "")
    local id = part .. ":" .. tostring(e)
    if not channel_of[id] then
      channels[#channels + 1] = { part = part, entry = e }
      channel_of[id] = #channels
    end
    wanted[#wanted + 1] = { name = path, entry = e, index = index, channel = channel_of[id] }
  end
  for _, key in ipairs(keys) do
    channels[#channels + 1] = { fn = spec[key], name = key }
    wanted[#wanted + 1] = { name = key, entry = { size = 1 }, channel = #channels }
  end
  return channels, wanted
end

-- What a list of columns has for a wanted path: a column, or a list of them for a vector.
local function source_of(columns, wanted)
  local source = columns[wanted.channel]
  return wanted.index and source[wanted.index] or source
end

local function column_of(rec, wanted)
  local e, source, vector = wanted.entry, source_of(rec.columns, wanted), wanted.entry.vector and not wanted.index
  local values = e.values and log_columns.modes(source, e.values)
    or vector and log_columns.rows(source) or log_columns.view(source)
  return { name = wanted.name, unit = e.unit, size = vector and e.size or 1, vector = vector, modes = e.values,
    held = e.partition == "xd" or e.values ~= nil, values = values, source = source, channel = wanted.channel,
    before = source_of(rec.jumps.before, wanted), after = source_of(rec.jumps.after, wanted) }
end

-- Raises an error for a repeated name.
local function by_name(list)
  local out = {}
  for _, c in ipairs(list) do
    if out[c.name] then names.fail("saltus.log: %q is logged twice", c.name) end
    out[c.name] = c
  end
  return out
end

local fields = { "time", "events", "marks", "columns" }

local function raise_name_error(self, name)
  local known = names.joined(names.of(self.columns), names.sorted_keys(methods), fields)
  return names.fail_unknown("name %s in this log", name, known)
end

local function index(self, key)
  if methods[key] then return methods[key] end
  local inner = getmetatable(self).inner
  if names.index_of(fields, key) then return inner[key] end
  if type(key) ~= "string" then return nil end
  local c = find(inner, key)
  return c and c.values or raise_name_error(inner, key)
end

-- for name, column in pairs(log) do: the time, then the columns in their order.
local function each(inner)
  local i = -1
  return function()
    i = i + 1
    if i == 0 then return "time", inner.time end
    if inner.columns[i] then return inner.columns[i].name, inner.columns[i].values end
  end
end

local function described(inner)
  local rows = #inner.time
  local span = rows > 0 and numerals.format(" from %.10g to %.10g s", inner.time[1], inner.time[rows]) or ""
  return ("log of %s: %d rows%s of %s"):format(inner.model.name, rows, span,
    table.concat(names.of(inner.columns), ", "))
end

-- Raises an error for a name that the model cannot log.
function log.check(m, spec)
  interval_of(spec)
  bound_of(spec)
  plan(m, spec)
end

-- saltus.log(sim, { paths, name = function, every = })
function log.new(sim, spec)
  names.check(type(sim) == "table" and names.kind(sim) ~= "scenario" and model.is(rawget(sim, "model")), sim,
    "write saltus.log(sim, { ... }): it takes a simulator first")
  spec = spec == nil and {} or spec
  names.check(type(spec) == "table", spec, "saltus.log takes a table of names")
  local every, most = interval_of(spec), bound_of(spec)
  local channels, wanted = plan(sim.model, spec)
  by_name(wanted) -- before anything is recorded
  local rec = sim:recorder(channels, every)
  if most > 0 then rec.rec:set_most(most) end
  local columns = names.map(wanted, function(w) return column_of(rec, w) end)
  local inner = { sim = sim, model = sim.model, rec = rec, time = log_columns.view(rec.time), columns = columns,
    events = rec.events, marks = rec.marks, by_name = by_name(columns), every = every, spec = spec }
  return setmetatable({}, { __name = "saltus.log", __index = index, inner = inner,
    __newindex = function() names.fail "a log is read-only" end,
    __len = function() return #rec.time end,
    __pairs = function() return each(inner) end,
    __tostring = function() return described(inner) end })
end

-- Until start() nothing is logged, not even events; curves have a gap there.
function methods:stop() inner_of(self).rec.rec:stop() end

function methods:start() inner_of(self).rec.rec:start() end

-- Adds a row with the current values, whatever the period is; closures that run inside a step cannot call it.
function methods:sample()
  if inner_of(self).rec.rec:sample() ~= 0 then
    names.fail "log:sample: a step is under way; sample between calls, in a publish or in the monitor"
  end
end

-- Returns a log of a clone of this log's simulator, with the same rows; from then on it is independent.
function methods:clone(sim)
  local inner = inner_of(self)
  local twin = log.new(sim, inner.spec)
  if not inner_of(twin).rec.rec:copy(inner.rec.rec) then
    names.fail "log:clone: the other simulator is no clone of this log's, or memory is short"
  end
  return twin
end

-- The times at which an event fired.
function methods:times(name)
  local inner = inner_of(self)
  local part, event = inner.model:event(name)
  local emitted = inner.rec.emitted and inner.rec.emitted()[name] -- by a story
  if not part and not emitted then
    local told = inner.rec.emitted and inner.rec.emitted() or {}
    if not told[1] then names.fail(event) end
    local known = names.joined(inner.model:event_paths(), told)
    names.fail_unknown(("event %%s in %q"):format(inner.model.name), name, known)
  end
  local out = {}
  for _, fired in ipairs(inner.rec.events) do
    if fired.name == name then out[#out + 1] = fired.time end
  end
  return out
end

local VALUES = names.closing "the values of a log"

-- Returns the values at time t by name; at a jump, those after it. Between rows of steps, states and outputs have the
-- accuracy of the steps; functions, and all values between rows of a period, are interpolated linearly. Modes and
-- discrete values are those of the row before.
function methods:at(t)
  local inner = inner_of(self)
  local time = inner.time
  names.check(type(t) == "number" and t == t, t, "log:at takes a time")
  if #time == 0 then names.fail "log:at: nothing was logged yet" end
  if t < time[1] or t > time[#time] then
    names.fail("log:at: %s s is outside of what was logged, %s to %s s", names.show(t), names.show(time[1]),
      names.show(time[#time]))
  end
  local row = bisection.count_to(time, t)
  if t > time[row] and inner.rec.marks[row + 1] == log_columns.GAP then
    names.fail("log:at: the log was stopped from %s to %s s", names.show(time[row]), names.show(time[row + 1]))
  end
  local share = row < #time and (t - time[row]) / (time[row + 1] - time[row]) or 0
  local out = setmetatable({ time = t }, VALUES)
  for _, c in ipairs(inner.columns) do out[c.name] = log_columns.between(c, row, share) end
  return out
end

-- Loaded at first use.
function methods:csv(path) return require("saltus.output.text_export").csv(self, path) end
function methods:npz(path) return require("saltus.output.npz").write(self, path) end
function methods:plot(path, how) return require("saltus.output.plot").plot(self, path, how) end

function methods:jsonl(path)
  local run_card = require "saltus.output.run_card"
  return require("saltus.output.text_export").jsonl(self, path, run_card.json(run_card.of_log(self)))
end

names.with_colon(methods, "saltus.log")

return log
