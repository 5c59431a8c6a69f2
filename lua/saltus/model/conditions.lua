-- Conditions of events (`becomes`, `when`): the functions that find where flow changes them. For a closure that only
-- computes numbers these are slices of its comparisons (saltus.closure.compiler.slicing).
local getupvalue = require("saltus.core").getupvalue
local names = require "saltus.util.names"
local string_constants = require "saltus.closure.string_constants"
local slicing = require "saltus.closure.compiler.slicing"
local system_module = require "saltus.model.system"

local conditions = {}

local flowing = { "q", "v", "z", "inputs", "outputs" }

-- Whether it has upvalues with strings, which may be names of variables.
local function has_names(fn)
  for i = 1, math.huge do
    local name, value = getupvalue(fn, i)
    if not name then return false end
    if type(value) == "string" or type(value) == "table" and name ~= "_ENV" then return true end
  end
end

-- Whether a function that is not compiled may read a continuous value. Its constants would have the name.
local function may_flow(system, fn)
  local words = string_constants.of_function(fn)
  if has_names(fn) then return true end
  if words.time or words.past or words.past_rate then return true end
  for _, section in ipairs(flowing) do
    for _, e in ipairs(system[section]) do if words[e.name] then return true end end
  end
  return false
end

local function raise_equality_error(system, e, field)
  names.fail("%s of event %q of %q compares numbers that flow by == or ~=: a step need not meet the point where they "
    .. "are equal; write <= or >=, or how far they may be apart", field, e.name, system.name)
end

-- Adds the slices of one function to the event's; returns whether integration may change its value, and whether the
-- changes can be located.
local function look_into(system, e, field)
  local fn = e[field]
  if type(fn) ~= "function" then return false, true end
  local list, whole, equals = slicing.of(system, fn)
  if not list then return may_flow(system, fn), false end
  if equals then raise_equality_error(system, e, ("`%s`"):format(field)) end
  table.move(list, 1, #list, #e.slices + 1, e.slices)
  return #list > 0 or not whole, whole
end

local function describe(system, e)
  e.slices = {}
  local flows, found = look_into(system, e, "becomes")
  local when_flows, when_found = look_into(system, e, "when")
  e.when_flows = when_flows and when_found
  e.found = found and when_found and #e.finders == 0
  e.flows = flows or when_flows or #e.finders > 0
end

local function describe_once(system, e)
  if e.trigger == "witness" and e.when and e.when_flows == nil then
    e.when_flows = slicing.flows(system, e.when) or false
  elseif e.trigger == "change" and not e.slices then
    local ok, message = pcall(describe, system, e)
    if ok then return end
    e.slices = nil
    error(message, 0)
  end
end

-- Describes the conditions of all systems of a model, each once; raises an error for one that cannot be located.
function conditions.prepare(model)
  for _, part in ipairs(model.parts) do
    local system = system_module.content(part.system)
    for _, e in ipairs(system.c_system and {} or system.events) do describe_once(system, e) end
  end
end

-- Gives the slices of a part to the engine, after the event's own witnesses. `known`: programs of the run.
function conditions.bind(core, part, system, known)
  local at = 0
  for _, e in ipairs(system.events) do
    for k, slice in ipairs(e.slices or {}) do
      require("saltus.closure.programs").run_slice(core, part, at + #e.finders + k, slice, known)
    end
    at = at + (e.finders and #e.finders or 0) + #(e.slices or {})
  end
end

return conditions
