-- The past of a system: the recorded names with their depths, the values before the start, and ctx.past and
-- ctx.past_rate.
--
--   past = { height = 2.0 }, history = { height = 0 } or function(t) return { height = t } end or an earlier run's log
--   ctx.past.height(0.08), ctx.past.height:at(t), ctx.past_rate.height(0.08)
local log_columns = require "saltus.output.log_columns"
local variable = require "saltus.model.variable"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local history = {}

local function is_recordable(e) return e.partition ~= "param" and not e.abstract end

local function recordable(content)
  local list = {}
  for name, e in pairs(content.by_name) do
    if is_recordable(e) then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

local function check_past(content, owner, name, depth)
  if math.type(name) then names.fail("%s: past goes by names: past = { height = 2 }, in seconds", owner) end
  local e = content.by_name[name]
  local who = ("%s: past of %q"):format(owner, numerals.text(name))
  if not e then names.fail_unknown(("name %%s in past of %s"):format(owner), name, recordable(content)) end
  if e.partition == "param" then names.fail("%s: a parameter does not flow; read ctx.%s", who, name) end
  if e.abstract then names.fail("%s: abstract values are not recorded", who) end
  names.check(type(depth) == "number" and depth >= 0, depth,
    "%s must be the seconds to record, 0 or more (math.huge: all)", who)
  return { name = name, depth = depth + 0.0, entry = e }
end

-- The value of a history as numbers for the engine.
local function numbers(past, value, who)
  local e = past.entry
  return variable.value({ continuous = e.continuous, vector = e.vector, size = e.size, values = e.values }, value, who)
end

-- A column of an earlier run's log as a function of time; later rows do not change it.
local function of_column(log, column, rate)
  local buffer = log_columns.inner_of(log).rec.rec:history(column.channel, column.size)
  buffer:set_delay(0)
  if rate then return function(t) return buffer:rate(t) end end
  local modes = column.modes
  if modes then return function(t) return modes[math.tointeger(buffer:read(t))] end end
  return function(t) return buffer:read(t) end
end

local function of_log(content, field, log, owner)
  local functions = {}
  for _, past in ipairs(content.pasts) do
    local column = log_columns.find(log_columns.inner_of(log), past.name)
    names.fail_if(not column, "%s: the log that is its %s has no %q", owner, field, past.name)
    names.fail_if(column.size ~= past.entry.size, "%s: the log that is its %s has %d numbers of %q, not %d", owner,
      field, column.size, past.name, past.entry.size)
    functions[past.name] = of_column(log, column, field == "history_rate")
  end
  names.fail_if(#log.time == 0, "%s: the log that is its %s has no rows yet; run its simulator first", owner, field)
  return functions
end

local function one_history(content, field, given)
  if given == nil or type(given) == "function" then return given end
  local owner = ("system %q"):format(content.name)
  if names.kind(given) == "log" then return of_log(content, field, given, owner) end
  names.check(type(given) == "table", given, "%s: %s must be a table by names, a function of time or a log", owner,
    field)
  names.check_keys(given, names.of(content.pasts),
    ("name %%s in %s of %s, whose past is not recorded"):format(field, owner))
  for _, past in ipairs(content.pasts) do
    local value = given[past.name]
    if value ~= nil and type(value) ~= "function" then
      numbers(past, value, ("%s of %q in %s"):format(field, past.name, owner))
    end
  end
  return given
end

-- Checks `past`, `history` and `history_rate` of a definition and adds them to the content.
function history.declare(def, content, owner)
  names.check_type(def.past, "table", "%s: past must be a table of seconds by names, like { height = 2 }", owner)
  for _, name in ipairs(names.sorted_keys(def.past or {})) do
    content.pasts[#content.pasts + 1] = check_past(content, owner, name, def.past[name])
  end
  for _, field in ipairs { "history", "history_rate" } do
    names.fail_if(def[field] ~= nil and #content.pasts == 0,
      "%s: %s needs past = { name = seconds }, which says what is recorded", owner, field)
    content[field] = one_history(content, field, def[field])
  end
end

-- Returns the value of a history at t, and whether nil is an error: it is if the function is for that name alone.
local function value_of_history(given, past, t, who)
  if type(given) == "function" then
    local all = given(t)
    if type(all) ~= "table" then
      error(numerals.format("%s must return a table by names at t = %t, got %s", who, t, names.show(all)), 0)
    end
    return all[past.name], false
  end
  local value = given[past.name]
  if type(value) == "function" then return value(t), true end
  return value, false
end

-- For the engine: function(past, t, rate) that returns a number, a list, or nothing; nil for a constant past.
function history.callback(system)
  if not system.history and not system.history_rate then return nil end
  return function(k, t, rate)
    local past = system.pasts[k]
    local field = rate and "history_rate" or "history"
    if system[field] == nil then return rate and system.history ~= nil end
    local value, wanted = value_of_history(system[field], past, t, ("%s of system %q"):format(field, system.name))
    if value == nil and not wanted then return rate and system.history ~= nil end
    return numbers(past, value, numerals.format("%s of %q in system %q at t = %t", field, past.name, system.name, t))
  end
end

local function by_name(system, field, make)
  local readers = {}
  for i, past in ipairs(system.pasts) do readers[past.name] = make(i, past) end
  return setmetatable(readers, {
    __index = function(_, name)
      local e = system.by_name[name]
      if e and is_recordable(e) then
        error(("the past of %s was never recorded: declare past = { %s = seconds }"):format(name, name), 2)
      end
      error(names.unknown(("name %%s in %s of %q"):format(field, system.name), name, names.of(system.pasts)), 2)
    end,
    __newindex = function() error("the past cannot be written", 2) end,
  })
end

-- ctx.past (rate false) or ctx.past_rate of a part; of_view: those of the last state_at, between calls.
function history.view(core, part, system, rate, of_view)
  local field = rate and "past_rate" or "past"
  return by_name(system, field, function(i, past)
    local e = past.entry
    local calls = e.partition == "output" or e.partition == "input" or system.history ~= nil
      or system.history_rate ~= nil
    return core:past_reader(part, i, e.size, e.vector == true, rate, past.depth, e.values,
      ("%s.%s"):format(field, past.name), calls, of_view or false)
  end)
end

-- The same without a run: returns the defaults.
function history.delay_stub(system, value_of)
  return by_name(system, "past", function(_, past)
    local function default() return past.entry.partition == "output" and 0.0 or value_of(past.entry) end
    return setmetatable({ at = default }, { __call = default })
  end)
end

return history
