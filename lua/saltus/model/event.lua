-- Events of a system, from what users write to what the engine is told:
-- one trigger, at most one handler.
local names = require "saltus.util.identifiers"
local outcome = require "saltus.simulation.outcome"

local event = {}

local triggers = { "at", "every", "next_time", "witness", "becomes" }
local handlers = { "publish", "discrete_update", "unrestricted_update" }
local moments = { "initialization", "step", "demand" }
local directions = { "crossing", "falling", "rising", "none" }

-- The fields of an event: one table for checks, help and documentation.
event.fields = {
  { name = "name", doc = "for logs and messages; default: its trigger and a number" },
  { name = "at", doc = "trigger: \"initialization\", \"step\" (after each) or \"demand\" (sim:demand, sim:schedule)" },
  { name = "every", doc = "trigger: a period in s" },
  { name = "offset", doc = "s, for every: the time of the first event; default: 0" },
  { name = "next_time", doc = "trigger: the name of a discrete variable, or a function(ctx) that returns a time; nil "
    .. "or infinity: never" },
  { name = "witness", doc = "trigger: a function(ctx) whose zero crossing ends the step; only flow crosses. With "
    .. "becomes: a function, or a list of functions, that cross zero where the condition may change" },
  { name = "becomes", doc = "trigger: a function(ctx) that returns a boolean; fires where it turns true, by flow, by "
    .. "an update, or by a write to sim.context" },
  { name = "at_start", doc = "for becomes: true to fire also when the condition is true at initialization" },
  { name = "direction", doc = "direction of the witness: \"crossing\", \"falling\", \"rising\" or \"none\"" },
  { name = "max_interval", doc = "s: largest interval in which crossings of the witness are searched; default: as the "
    .. "steps show them" },
  { name = "samples", doc = "the same, as a number of pieces of each step" },
  { name = "when", doc = "a function(ctx): the event happens only while it returns true; for a witness, at the "
    .. "crossing" },
  { name = "publish", doc = "handler: function(ctx, event), writes nothing in the run" },
  { name = "discrete_update", doc = "handler: function(ctx, next, event), writes next.x of discrete" },
  { name = "unrestricted_update", doc = "handler: function(ctx, next, event), writes all states and parameters" },
  { name = "on_zeno", doc = "as unrestricted_update; replaces the handler where events of a witness or a condition "
    .. "accumulate" },
  { name = "doc", doc = "a one-line description" },
}

local function one_of(value, list, who, field)
  for _, known in ipairs(list) do if value == known then return value end end
  return names.fail("%s: %s must be one of \"%s\", got %s%s", who, field, table.concat(list, '", "'), names.show(value),
    names.near(value, list) and names.hint(value, list) or "")
end

-- The single key of `list` that `spec` has; nil for none, an error for two.
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

local function only_with(spec, field, trigger, wanted, who)
  if spec[field] ~= nil and trigger ~= wanted then
    names.fail("%s: %s belongs to an event with %s, this one has %s", who, field, wanted, trigger)
  end
end

local function check_period(spec, e, who)
  local every, offset = spec.every, spec.offset or 0
  if type(every) ~= "number" or every ~= every or every <= 0 or every == math.huge then
    names.fail("%s: every must be a period in seconds, greater than 0 and finite, got %s", who, names.show(every))
  end
  if type(offset) ~= "number" or offset ~= offset or offset == math.huge or offset == -math.huge then
    names.fail("%s: offset must be a finite number of seconds, got %s", who, names.show(offset))
  end
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
    local discrete = {}
    for i, d in ipairs(system.discrete) do discrete[i] = d.name end
    names.fail("%s: next_time must be a function or the name of a discrete variable, got %s%s", who,
      names.show(spec.next_time), type(spec.next_time) == "string" and names.hint(spec.next_time, discrete) or "")
  end
  if variable.size ~= 1 or variable.values then
    names.fail("%s: next_time needs a discrete variable that is one number; %q is %s", who, variable.name,
      variable.values and "a mode" or "a list")
  end
  e.time_variable = variable
end

local function function_or_outcome(spec, field, who)
  local value = spec[field]
  if value == nil or type(value) == "function" then return value end
  if outcome.is(value) then return outcome.handler(value) end
  return names.fail("%s: %s must be a function or an outcome like saltus.terminate \"why\", got %s", who, field,
    names.show(value))
end

local function optional_function(spec, field, who)
  local value = spec[field]
  if value == nil or type(value) == "function" then return value end
  return names.fail("%s: %s must be a function, got %s", who, field, names.show(value))
end

local MAX_SAMPLES = 1000000

-- How closely the crossings of a witness are looked for.
local function check_closeness(spec, e, who)
  local interval, samples = spec.max_interval, spec.samples
  if interval ~= nil and not (type(interval) == "number" and interval > 0 and interval < math.huge) then
    names.fail("%s: max_interval must be a finite number of seconds greater than 0, got %s", who, names.show(interval))
  end
  local whole = type(samples) == "number" and math.tointeger(samples)
  if samples ~= nil and not (whole and whole >= 1 and whole <= MAX_SAMPLES) then
    names.fail("%s: samples must be a whole number of pieces of a step, 1 to %d, got %s", who, MAX_SAMPLES,
      names.show(samples))
  end
  e.max_interval, e.samples = interval and interval + 0.0, whole or nil
end

-- A function or a list of functions that find where a condition may change.
local function finders(spec, who)
  local given = spec.witness
  if given == nil then return {} end
  local list = type(given) == "table" and given or { given }
  for i = 1, math.max(#list, 1) do
    if type(list[i]) ~= "function" then
      names.fail("%s: witness, beside becomes, must be a function or a list of functions, got %s", who,
        names.show(type(given) == "table" and list[i] or given))
    end
  end
  return table.move(list, 1, #list, 1, {})
end

local function check_condition(spec, e, who)
  e.trigger = "change"
  e.becomes = optional_function(spec, "becomes", who)
  e.finders = finders(spec, who)
  if spec.at_start ~= nil and type(spec.at_start) ~= "boolean" then
    names.fail("%s: at_start must be true or false, got %s", who, names.show(spec.at_start))
  end
  e.at_start = spec.at_start == true
end

-- The trigger's field. A condition may name witnesses too.
local function trigger_of(spec, who)
  if spec.becomes == nil or spec.witness == nil then return single(spec, triggers, who, "trigger") end
  return single(spec, { "at", "every", "next_time", "becomes" }, who, "trigger")
end

local function check_trigger(spec, e, system, who)
  local trigger = trigger_of(spec, who)
  if not trigger then
    names.fail("%s has no trigger; give it one of at =, every =, next_time =, witness =, becomes =", who)
  end
  only_with(spec, "offset", trigger, "every", who)
  only_with(spec, "direction", trigger, "witness", who)
  only_with(spec, "at_start", trigger, "becomes", who)
  if trigger ~= "becomes" then only_with(spec, "on_zeno", trigger, "witness", who) end
  only_with(spec, "max_interval", trigger, "witness", who)
  only_with(spec, "samples", trigger, "witness", who)
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

local function check_fields(spec, who)
  local allowed, fields = {}, {}
  for i, field in ipairs(event.fields) do fields[i], allowed[field.name] = field.name, true end
  for _, key in ipairs(names.sorted_keys(spec)) do
    if not allowed[key] then names.fail("%s", names.unknown("field %s in " .. who, key, fields)) end
  end
end

local function normalise(spec, index, system, owner)
  local who = ("event %d of %s"):format(index, owner)
  if type(spec) ~= "table" then names.fail("%s must be a table, got %s", who, names.show(spec)) end
  if spec.name ~= nil then
    if not names.is_identifier(spec.name) then
      names.fail("%s: its name must be a Lua identifier, got %s", who, names.show(spec.name))
    end
    who = ("event %q of %s"):format(spec.name, owner)
  end
  check_fields(spec, who)
  if spec.doc ~= nil and type(spec.doc) ~= "string" then
    names.fail("%s: doc must be a string, got %s", who, names.show(spec.doc))
  end
  local e = { name = spec.name, index = index, offset = 0.0, doc = spec.doc }
  check_trigger(spec, e, system, who)
  e.when = optional_function(spec, "when", who)
  local handler = single(spec, handlers, who, "handler")
  e.kind = handler or "none"
  e.handler = handler and function_or_outcome(spec, handler, who)
  e.on_zeno = function_or_outcome(spec, "on_zeno", who)
  return e
end

-- Events without a name are called after their trigger: witness1, period2, ...
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
  if type(given) ~= "table" then names.fail("%s: events must be a list, got %s", owner, names.show(given)) end
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
