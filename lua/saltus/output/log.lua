-- Logs: what a simulator recorded, by the names that users gave.
--
--   local log = saltus.log(sim, { "height", power = function(ctx) ... end, every = 0.01 })
--   log.time[#log.time], log["height"], log:times "bounce"
--
-- Besides `every`: `at = "demand"` has a row only where log:sample() asks for one; `most_rows = 10000`
-- bounds the memory: when so many are there, every second goes, and from then on half as many come.
--
-- A column is { name, unit, values, size, modes, held }; the values of a vector are rows, tables of `size`
-- numbers. What is written and plotted reads columns, never the recorder.
local names = require "saltus.util.identifiers"
local numerals = require "saltus.util.numerals"
local column_view = require "saltus.output.column"
local log_columns = require "saltus.output.log_columns"
local model = require "saltus.model.flat_model"

local log = {}
local find, inner_of = log_columns.find, log_columns.inner_of

local methods = {}

local function period(every)
  if every == nil then return nil end
  if type(every) ~= "number" or every ~= every or every <= 0 or every == math.huge then
    names.fail("saltus.log: every must be a period in seconds, greater than 0 and finite, got %s", names.show(every))
  end
  return every
end

-- Beside paths and functions: one table for checks, help and documentation.
log.options = {
  { name = "every", doc = "seconds between rows; default: each step, both sides of each jump, and the interpolant "
    .. "between them" },
  { name = "at", doc = "\"demand\": a row only for each log:sample()" },
  { name = "most_rows", doc = "at least 16; at so many rows every second one is dropped, and half as many follow" },
}

local function is_option(key)
  for _, option in ipairs(log.options) do if option.name == key then return true end end
  return false
end

-- The recorder's interval: nil for each step, infinity for "when asked".
local function interval_of(spec)
  local at, every = spec.at, period(spec.every)
  if at == nil or type(at) == "function" then return every end
  if at ~= "demand" then names.fail('saltus.log: at can be "demand" only, got %s', names.show(at)) end
  if every then names.fail "saltus.log: give every or at = \"demand\", not both" end
  return math.huge
end

local function bound_of(spec)
  local most = spec.most_rows
  if most == nil or type(most) == "function" then return 0 end
  if math.type(most) ~= "integer" or most < 16 then
    names.fail("saltus.log: most_rows must be a whole number of at least 16, got %s", names.show(most))
  end
  return most
end

local function scalar_or_vector(list, name, channel, e, source)
  local held = e.partition == "xd" or e.values ~= nil
  local values = e.values and column_view.modes(source, e.values)
    or e.vector and column_view.rows(source) or column_view.view(source)
  list[#list + 1] = { name = name, unit = e.unit, size = e.vector and e.size or 1, vector = e.vector,
    modes = e.values, held = held, values = values, channel = channel, source = source }
end

-- Paths to log: those given in order, or every state and output.
local function paths_of(spec)
  local paths = {}
  for i, path in ipairs(spec) do
    if type(path) ~= "string" then
      names.fail("saltus.log: [%d] must be a path like \"height\", got %s", i, names.show(path))
    end
    paths[i] = path
  end
  return paths
end

local everything = { "q", "v", "z", "discrete", "outputs" }

local function all_paths(m)
  local paths = {}
  for _, part in ipairs(m.parts) do
    for _, section in ipairs(everything) do
      for _, e in ipairs(part.system[section]) do
        local shown = part.system.by_name[e.name] == e and not e.abstract
        if shown then paths[#paths + 1] = names.join(part.path, e.name) end
      end
    end
  end
  return paths
end

local function functions_of(spec)
  local out = {}
  for _, key in ipairs(names.sorted_keys(spec)) do
    local position = math.type(key) == "integer" and key >= 1 and key <= #spec
    local is_function = type(key) == "string" and type(spec[key]) == "function" and key ~= "every"
    if not position and not is_function and not is_option(key) then
      local near = names.near(key, { "every", "at", "most_rows" })
      names.fail("saltus.log: %s must be a function of ctx; write paths without a key; every = is the period%s",
        type(key) == "string" and key or names.show(key), near and ("; did you mean %q?"):format(near) or "")
    end
    if is_function then
      names.check_no_control(key, "saltus.log: a name")
      out[#out + 1] = key
    end
  end
  return out
end

-- One channel an entry, however many of its elements are asked for.
local function plan(m, spec)
  local channels, wanted, channel_of = {}, {}, {}
  local keys = functions_of(spec)
  local paths = paths_of(spec)
  if #paths == 0 and #keys == 0 then paths = all_paths(m) end
  for _, path in ipairs(paths) do
    local part, e, index = m:resolve(path)
    if not part then names.fail("saltus.log: %s", e) end
    if e.abstract then
      names.fail("saltus.log: %q is abstract%s; log a function of ctx that makes a number of it", path,
        e.partition == "abstract" and " state" or "")
    end
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

local function columns_of(rec, wanted)
  local list = {}
  for _, w in ipairs(wanted) do
    local source = rec.columns[w.channel]
    if w.index then
      list[#list + 1] = { name = w.name, unit = w.entry.unit, size = 1, values = column_view.view(source[w.index]),
        source = source[w.index], held = w.entry.partition == "xd" }
    else
      scalar_or_vector(list, w.name, w.channel, w.entry, source)
    end
  end
  return list
end

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
  local known = names.sorted_keys(methods)
  for _, field in ipairs(fields) do known[#known + 1] = field end
  for i, column in ipairs(self.columns) do table.insert(known, i, column.name) end
  return names.fail("%s", names.unknown("name %s in this log", name, known))
end

local function index(self, key)
  if methods[key] then return methods[key] end
  local inner = getmetatable(self).inner
  if key == "time" then return inner.time end
  if key == "events" then return inner.rec.events end
  if key == "marks" then return inner.rec.marks end
  if key == "columns" then return inner.columns end
  if type(key) ~= "string" then return nil end
  local c = find(inner, key)
  return c and c.values or raise_name_error(inner, key)
end

-- for name, column in pairs(log): the time, then the columns in their order.
local function each(inner)
  local i = -1
  return function()
    i = i + 1
    if i == 0 then return "time", inner.time end
    if inner.columns[i] then return inner.columns[i].name, inner.columns[i].values end
  end
end

local function described(inner)
  local list, rows = {}, #inner.time
  for i, c in ipairs(inner.columns) do list[i] = c.name end
  local span = rows > 0 and numerals.format(" from %.10g to %.10g s", inner.time[1], inner.time[rows]) or ""
  return ("log of %s: %d rows%s of %s"):format(inner.model.name, rows, span, table.concat(list, ", "))
end

-- What a model cannot log is an error.
function log.check(m, spec)
  interval_of(spec)
  bound_of(spec)
  plan(m, spec)
end

-- saltus.log(sim, { paths, name = function, every = })
function log.new(sim, spec)
  if type(sim) ~= "table" or not model.is(rawget(sim, "model")) then
    names.fail("write saltus.log(sim, { ... }): it takes a simulator first, got %s", names.show(sim))
  end
  if spec ~= nil and type(spec) ~= "table" then
    names.fail("saltus.log takes a table of names, got %s", names.show(spec))
  end
  spec = spec or {}
  local every, most = interval_of(spec), bound_of(spec)
  local channels, wanted = plan(sim.model, spec)
  local names_taken = {}
  for _, w in ipairs(wanted) do names_taken[#names_taken + 1] = { name = w.name } end
  by_name(names_taken) -- refuses doubles before anything is recorded
  local rec = sim:recorder(channels, every)
  if most > 0 then rec.rec:set_most(most) end
  local columns = columns_of(rec, wanted)
  local inner = { sim = sim, model = sim.model, rec = rec, time = column_view.view(rec.time), columns = columns,
    by_name = by_name(columns), every = every, spec = spec }
  return setmetatable({}, { __name = "saltus.log", __index = index, inner = inner,
    __newindex = function() names.fail "a log is read-only" end,
    __len = function() return #rec.time end,
    __pairs = function() return each(inner) end,
    __tostring = function() return described(inner) end })
end

-- While stopped nothing is logged, events neither; curves have a gap there.
function methods:stop() inner_of(self).rec.rec:stop() end

function methods:start() inner_of(self).rec.rec:start() end

-- A row of now, whatever the log's period is; not from closures that are asked in the middle of a step.
function methods:sample()
  if inner_of(self).rec.rec:sample() ~= 0 then
    names.fail "log:sample: a step is under way; sample between calls, in a publish or in the monitor"
  end
end

-- A log of another simulator, a clone of this one's: it has what this one has, and goes on by itself.
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
  if not part then names.fail("%s", event) end
  local out = {}
  for _, fired in ipairs(inner.rec.events) do
    if fired.name == name then out[#out + 1] = fired.time end
  end
  return out
end

-- The last row at or before t.
local function row_before(time, t)
  local lo, hi = 1, #time
  while lo < hi do
    local mid = (lo + hi + 1) // 2
    if time[mid] <= t then lo = mid else hi = mid - 1 end
  end
  return lo
end

local GAP = 2 -- the mark of the first row after a stop

-- What holds at time t, by names; at a jump, what holds after it. Between the rows of steps states and outputs are
-- those of the step; functions, and all between rows of a period, are on straight lines. Modes and discrete values
-- keep the row before.
function methods:at(t)
  local inner = inner_of(self)
  local time = inner.time
  if type(t) ~= "number" or t ~= t then names.fail("log:at takes a time, got %s", names.show(t)) end
  if #time == 0 then names.fail "log:at: nothing was logged yet" end
  if t < time[1] or t > time[#time] then
    names.fail("log:at: %s s is outside of what was logged, %s to %s s", names.show(t), names.show(time[1]),
      names.show(time[#time]))
  end
  local row = row_before(time, t)
  if t > time[row] and inner.rec.marks[row + 1] == GAP then
    names.fail("log:at: the log was stopped from %s to %s s", names.show(time[row]), names.show(time[row + 1]))
  end
  local share = row < #time and (t - time[row]) / (time[row + 1] - time[row]) or 0
  local out = { time = t }
  for _, c in ipairs(inner.columns) do out[c.name] = log_columns.between(c, row, share) end
  return out
end

-- Writers and plots are loaded when first used.
function methods:csv(path) return require("saltus.output.text_export").csv(self, path) end
function methods:jsonl(path) return require("saltus.output.text_export").jsonl(self, path) end
function methods:npz(path) return require("saltus.output.npz").write(self, path) end
function methods:plot(path, how) return require("saltus.output.plot").plot(self, path, how) end

names.with_colon(methods, "saltus.log")

return log
