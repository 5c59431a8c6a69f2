-- Errors of closures with forbidden reads or writes, or with wrong results.
local mode_values = require "saltus.closure.mode_values"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local writable = require "saltus.closure.writable"

local diagnostics = {}

local function known_names(c)
  local list = { "time" }
  for name in pairs(c.system.by_name) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- `level`: the level of the closure, for its line.
function diagnostics.raise_name_error(c, what, name, level)
  error(names.unknown(("name %%s in %s of %s"):format(what, c.label), name, known_names(c)), level)
end

local flowing = { q = true, v = true, z = true }

-- The functions in which the value can be written.
local function advice(c, name)
  local e = c.system.by_name[name]
  local partition = e and e.partition
  if c.kind == "derivatives" and flowing[partition] then return ("; write dot.%s"):format(name) end
  if writable[c.kind] and writable[c.kind][partition] then return ("; write next.%s"):format(name) end
  if partition == "xd" then return ("; an update may write next.%s"):format(name) end
  if writable.unrestricted_update[partition] then return ("; an unrestricted update may write next.%s"):format(name) end
  return "; keep what is no state in a local"
end

function diagnostics.raise_write_error(c, name, level)
  local text = "%s of %s writes ctx.%s, but ctx is read-only%s"
  error(text:format(c.what, c.owner, numerals.text(name), advice(c, name)), level or 0)
end

-- In a publish, whose second parameter is the event, it is often taken for `next`.
function diagnostics.raise_event_write_error(c, name)
  local cure = c.kind == "publish" and c.system.by_name[name]
    and "; a publish(ctx, event) writes nothing: make it an update(ctx, next, event)" or ""
  names.fail("%s writes %s of its event, which is read-only%s", c.label, numerals.text(name), cure)
end

-- The entry of the i-th result.
local function result_entry(c, i)
  for _, e in ipairs(c.writes) do
    if e.partition ~= "abstract" then i = i - 1 end
    if i == 0 then return e end
  end
end

-- The name whose table has this index among the closures.
function diagnostics.readonly_entry_at(c, place)
  for _, e in ipairs(c.reads) do
    local own = c.tables["ctx." .. e.name]
    if own and own.at == place then return e.name end
  end
end

-- The first element of a vector that is no number, or else that is not finite.
local function bad_element(list, size)
  for k = 1, size do
    if type(rawget(list, k)) ~= "number" then return k, rawget(list, k) end
  end
  for k = 1, size do
    if not numerals.is_finite(list[k]) then return k, list[k] end
  end
end

-- The error text for a result.
function diagnostics.complaint(c, i, value)
  if not c.target then
    local size = c.kind == "output" and type(value) == "table" and #value
    local hint = type(value) == "boolean" and c.kind == "witness" and "; a condition belongs in `becomes`" or ""
    local declare = size and ', or declare its size: { "%s", function(ctx) ... end, size = %d }' or ""
    return ("%s returned %s; it must return a number"):format(c.label, names.show(value))
      .. hint .. declare:format(c.entry and c.entry.name, size)
  end
  local e, element = result_entry(c, i), nil
  if e and e.vector then element, value = bad_element(value, e.size) end
  value = mode_values.unwrap(value)
  local name = e and (e.vector and ("%s[%d]"):format(e.name, element or 0) or e.name) or "?"
  if value == false then
    local into = c.kind == "derivatives" and "dot." or c.kind == "velocity_map" and "qdot." or ""
    return ("%s leaves %q unset; set %s%s in every branch"):format(c.label, name, into, name)
  end
  if e and e.values then return mode_values.complaint(c.label, e, value) end
  return ("%s sets %q to %s; it must be a %snumber"):format(c.label, name, names.show(value),
    type(value) == "number" and "finite " or "")
end

-- Raises an error with the line where the closure is defined, because the line of the mistake is not known.
function diagnostics.reject(c, text, ...)
  error(("%s: %s %s"):format(names.defined(c.fn) or c.system.source, c.label, text:format(...)), 0)
end

return diagnostics
