-- Events of a system: checks the users' definitions and converts them to the form that the engine reads. An event has
-- one trigger and at most one handler.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local outcome = require "saltus.simulation.outcome"
local label = require("saltus.model.variable").label

local event = {}

local triggers = { "at", "every", "next_time", "witness", "becomes" }
local triggers_of_conditions = { "at", "every", "next_time", "becomes" } -- a condition may name witnesses too
local handlers = { "publish", "discrete_update", "unrestricted_update" }
local moments = { "initialization", "step", "demand" }
local directions = { "crossing", "falling", "rising", "none" }

-- The fields of an event: one table for checks, help and documentation. `of`: the only trigger of the field.
event.fields = {
  { name = "name", doc = "a Lua identifier, for logs and messages; default: its trigger and a number" },
  { name = "at", doc = "trigger: \"initialization\", \"step\" (after each) or \"demand\" (sim:demand, sim:schedule)" },
  { name = "every", doc = "trigger: a period in s" },
  { name = "offset", of = "every", doc = "s, for every: the time of the first event; default: 0" },
  { name = "next_time", doc = "trigger: the name of a discrete variable, or a function(ctx) that returns a time; nil "
    .. "or infinity: never" },
  { name = "witness", doc = "trigger: a function(ctx) whose zero crossing ends the step; only flow crosses. With "
    .. "becomes: a function, or a list of functions, that cross zero where the condition may change" },
  { name = "becomes", doc = "trigger: a function(ctx) that returns a boolean; fires where it turns true, by flow, by "
    .. "an update, or by a write to sim.context" },
  { name = "at_start", of = "becomes",
    doc = "for becomes: true to fire also when the condition is true at initialization" },
  { name = "direction", of = "witness",
    doc = "direction of the witness: \"crossing\", \"falling\", \"rising\" or \"none\"" },
  { name = "max_interval", of = "witness", doc = "s: largest interval in which crossings of the witness are "
    .. "searched; default: as the steps show them" },
  { name = "samples", of = "witness", doc = "the same, as a number of pieces of each step" },
  { name = "when", doc = "a function(ctx): the event happens only while it returns true; for a witness, at the "
    .. "crossing" },
  { name = "publish", doc = "handler: function(ctx, event), writes nothing in the run" },
  { name = "discrete_update", doc = "handler: function(ctx, next, event), writes next.x of discrete" },
  { name = "unrestricted_update", doc = "handler: function(ctx, next, event), writes all states and parameters" },
  { name = "on_zeno", of = "witness", doc = "as unrestricted_update; replaces the handler where events of a witness or "
    .. "a condition accumulate" },
  { name = "doc", doc = "a one-line description" },
}

local function one_of(value, list, who, field)
  if names.index_of(list, value) then return value end
  return names.fail("%s: %s %s", who, field, names.not_one_of(value, list))
end

-- Returns the single key of `list` that `spec` has, nil for none; raises an error for two.
local function single(spec, list, who, what)
  local found
  for _, key in ipairs(list) do
    if spec[key] ~= nil then
      if found then names.fail("%s has two %ss, %s and %s; make two events of it", who, what, found, key) end
      found = key
    end
  end
  return found
end

local function check_belongings(spec, trigger, who)
  for _, field in ipairs(event.fields) do
    local fits = not field.of or trigger == field.of or field.name == "on_zeno" and trigger == "becomes"
    names.fail_if(spec[field.name] ~= nil and not fits,
      "%s: %s belongs to an event with %s, this one has %s", who, field.name, field.of, trigger)
  end
end

local function check_period(spec, e, who)
  local every, offset = spec.every, spec.offset or 0
  names.check(numerals.is_positive(every), every,
    "%s: every must be a period in seconds, greater than 0 and finite", who)
  names.check(numerals.is_finite(offset), offset, "%s: offset must be a finite number of seconds", who)
  e.trigger, e.every, e.offset = "period", every + 0.0, offset + 0.0
end

local function check_next_time(spec, e, system, who)
  e.trigger = "time"
  if type(spec.next_time) == "function" then
    e.next_time = spec.next_time
    return
  end
  local variable = type(spec.next_time) == "string" and system.by_name[spec.next_time]
  if not variable or variable.partition ~= "xd" then
    names.fail("%s: next_time must be a function or the name of a discrete variable, got %s%s", who,
      names.show(spec.next_time),
      type(spec.next_time) == "string" and names.hint(spec.next_time, names.of(system.discrete)) or "")
  end
  names.fail_if(variable.size ~= 1 or variable.values,
    "%s: next_time needs a discrete variable that is one number; %q is %s", who, variable.name,
    variable.values and "a mode" or "a list")
  e.time_variable = variable
end

local function optional_function(spec, field, who, kinds)
  local value = spec[field]
  names.check_type(value, "function", "%s: %s must be %s", who, field, kinds or "a function")
  return value
end

local function function_or_outcome(spec, field, who)
  local given = spec[field]
  if outcome.is(given) then return outcome.handler(given) end
  local uncalled = outcome.uncalled(given)
  names.fail_if(uncalled, "%s: %s must be a function or an outcome; write %s = saltus.%s \"why\"", who, field, field,
    uncalled)
  return optional_function(spec, field, who, "a function or an outcome like saltus.terminate \"why\"")
end

local MAX_SAMPLES = 1000000

-- How densely crossings of a witness are searched.
local function check_closeness(spec, e, who)
  local interval, samples = spec.max_interval, spec.samples
  names.check(interval == nil or numerals.is_positive(interval), interval,
    "%s: max_interval must be a finite number of seconds greater than 0", who)
  local whole = type(samples) == "number" and math.tointeger(samples)
  names.check(samples == nil or whole and whole >= 1 and whole <= MAX_SAMPLES, samples,
    "%s: samples must be a whole number of pieces of a step, 1 to %d", who, MAX_SAMPLES)
  e.max_interval, e.samples = interval and interval + 0.0, whole or nil
end

-- Functions that cross 0 where a condition may change: one function, or a list.
local function finders(spec, who)
  local given = spec.witness
  if given == nil then return {} end
  local list = type(given) == "table" and given or { given }
  for i = 1, math.max(#list, 1) do
    names.check(type(list[i]) == "function", type(given) == "table" and list[i] or given,
      "%s: witness, beside becomes, must be a function or a list of functions", who)
  end
  return table.move(list, 1, #list, 1, {})
end

local function check_condition(spec, e, who)
  e.trigger = "change"
  e.becomes = optional_function(spec, "becomes", who)
  e.finders = finders(spec, who)
  names.check_type(spec.at_start, "boolean", "%s: at_start must be true or false", who)
  e.at_start = spec.at_start == true
end

local function check_trigger(spec, e, system, who)
  local trigger = single(spec, spec.becomes ~= nil and triggers_of_conditions or triggers, who, "trigger")
  names.fail_if(not trigger,
    "%s has no trigger; give it one of at =, every =, next_time =, witness =, becomes =", who)
  check_belongings(spec, trigger, who)
  if trigger == "at" then
    e.trigger = one_of(spec.at, moments, who, "at")
  elseif trigger == "every" then
    check_period(spec, e, who)
  elseif trigger == "next_time" then
    check_next_time(spec, e, system, who)
  elseif trigger == "becomes" then
    check_condition(spec, e, who)
  else
    e.trigger = "witness"
    e.witness = optional_function(spec, "witness", who)
    e.direction = one_of(spec.direction or "crossing", directions, who, "direction")
    check_closeness(spec, e, who)
  end
end

local field_names = names.of(event.fields)

local function normalise(spec, index, system, owner)
  local who = ("event %d of %s"):format(index, owner)
  names.check(type(spec) == "table", spec, "%s must be a table", who)
  if spec.name ~= nil then
    names.check(names.is_identifier(spec.name), spec.name, "%s: its name must be a Lua identifier", who)
    who = ("event %q of %s"):format(spec.name, owner)
  end
  names.check_keys(spec, field_names, "field %s in " .. who)
  local e = { name = spec.name, index = index, offset = 0.0, doc = label(spec, "doc", who) }
  check_trigger(spec, e, system, who)
  e.when = optional_function(spec, "when", who)
  local handler = single(spec, handlers, who, "handler")
  e.kind = handler or "none"
  e.handler = handler and function_or_outcome(spec, handler, who)
  e.on_zeno = function_or_outcome(spec, "on_zeno", who)
  return e
end

-- Events without a name are named after their trigger: witness1, period2, ...
local function name_the_rest(list)
  local taken, count = {}, {}
  for _, e in ipairs(list) do if e.name then taken[e.name] = true end end
  for _, e in ipairs(list) do
    while not e.name do
      count[e.trigger] = (count[e.trigger] or 0) + 1
      local name = e.trigger .. count[e.trigger]
      if not taken[name] then e.name, taken[name] = name, true end
    end
  end
end

function event.list(given, system, owner)
  local out, seen = {}, {}
  if given == nil then return out end
  names.check(type(given) == "table", given, "%s: events must be a list", owner)
  for _, key in ipairs(names.sorted_keys(given)) do
    if math.type(key) ~= "integer" or key < 1 or key > #given then
      names.fail("%s: events is a list; give the event a name = %s instead of the key", owner, names.show(key))
    end
  end
  for i, spec in ipairs(given) do
    local e = normalise(spec, i, system, owner)
    if e.name then
      if seen[e.name] then names.fail("%s: two events are named %q", owner, e.name) end
      seen[e.name] = true
    end
    out[i] = e
  end
  name_the_rest(out)
  return out
end

return event
