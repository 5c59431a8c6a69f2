-- Compares operations in the recording's shape: what was expected against what came out. Every function returns nil, or
-- a text that says what differed and where.
local sorted_keys = require "support.sorted_keys"

local compare = {}

local implicit = {
  implicit_euler = true, velocity_implicit_euler = true, radau1 = true, radau3 = true,
}

function compare.is_implicit(scheme) return implicit[scheme] or false end

-- One of a file's `compare` texts as { kind = "exact" | "abs" | "rel" | "informative", tolerance }. The texts may hold
-- a clause for explicit and one for implicit schemes.
function compare.rule(text, scheme, accuracy)
  if not text then return { kind = "informative" } end
  local wanted, other = "explicit", "implicit"
  if implicit[scheme] then wanted, other = other, wanted end
  local chosen
  for clause in text:gmatch "[^;]+" do
    local words = " " .. clause:gsub("[^%w.+-]", " ") .. " "
    if words:find(" " .. wanted .. " ", 1, true) then chosen = words end
    if not chosen and not words:find(" " .. other .. " ", 1, true) then chosen = words end
  end
  if not chosen or chosen:find "informative" then return { kind = "informative" } end
  local kind, tolerance = chosen:match " (%l%l%l) (%d[%w.+-]*)"
  if (kind == "abs" or kind == "rel") and tonumber(tolerance) then
    return { kind = kind, tolerance = tonumber(tolerance) }
  end
  local times = chosen:match "within (%d+) x accuracy"
  if times then return { kind = "abs", tolerance = tonumber(times) * (accuracy or 1e-3) } end
  return { kind = "exact", tolerance = 0 }
end

-- A rule no tighter than `tolerance`.
function compare.loosened(rule, tolerance)
  if rule.kind == "informative" or (rule.tolerance or 0) >= tolerance then return rule end
  return { kind = "rel", tolerance = tolerance }
end

function compare.agree(rule, a, b)
  if rule.kind == "informative" then return true end
  if a == "nan" or a == nil or a ~= a then return b == nil or b == "nan" or b ~= b end
  if type(a) ~= "number" or type(b) ~= "number" then return a == b end
  if a == b then return true end
  local size = rule.kind == "rel" and math.max(1, math.abs(a), math.abs(b)) or 1
  return math.abs(a - b) <= (rule.tolerance or 0) * size
end

local function show(value)
  return math.type(value) == "float" and ("%.17g"):format(value) or tostring(value)
end

local function differ(where, expected, got)
  return ("%s: expected %s, got %s"):format(where, show(expected), show(got))
end
compare.differ = differ

function compare.number(rule, expected, got, where)
  if not compare.agree(rule, expected, got) then return differ(where, expected, got) end
end

-- Vectors of one subsystem: xc, xd, xa, u. `rule_for(prefix, index)` gives the rule of an element.
local function vectors(expected, got, rule_for, where)
  for _, prefix in ipairs { "xc", "xd", "xa", "u" } do
    local a, b = expected[prefix], got[prefix] or {}
    if a and #a ~= #b then return differ(where .. " size of " .. prefix, #a, #b) end
    for i = 1, a and #a or 0 do
      if not compare.agree(rule_for(prefix, i), a[i], b[i]) then
        return differ(("%s %s%d"):format(where, prefix, i), a[i], b[i])
      end
    end
  end
end

function compare.state(expected, got, rule_for, where)
  for _, name in ipairs(sorted_keys(expected)) do
    if not got[name] then return ("%s: no state of %s"):format(where, name) end
    local function rule_of(prefix, i) return rule_for(name, prefix, i) end
    local wrong = vectors(expected[name], got[name], rule_of, where .. " " .. name)
    if wrong then return wrong end
  end
end

function compare.entry(expected, got, time_rule, rule_for, where)
  where = ("%s, %s%s at %s"):format(where, expected.sys and expected.sys .. "." or "", expected.event, show(expected.t))
  for _, key in ipairs { "event", "sys", "kind", "returns", "steps" } do
    local informative = key == "steps" and rule_for.steps_are_informative
    if expected[key] ~= got[key] and not informative then
      local seen = key == "event" and got.event .. " at " .. show(got.t) or got[key]
      return differ(where .. ": " .. key, expected[key], seen)
    end
  end
  if not compare.agree(time_rule, expected.t, got.t) then return differ(where .. ": time", expected.t, got.t) end
  if expected.state then return compare.state(expected.state, got.state, rule_for.element, where) end
  return vectors(expected, got, function(prefix, i) return rule_for.element(expected.sys, prefix, i) end, where)
end

-- The whole log; rules_at(entry, got) returns the time rule and the element rules.
function compare.log(expected, got, rules_at, where)
  for i = 1, math.max(#expected, #got) do
    local a, b = expected[i], got[i]
    local here = ("%s log %d"):format(where, i)
    if not a then return ("%s: one call too many: %s at %s"):format(here, b.event, show(b.t)) end
    if not b then return ("%s: missing %s at %s"):format(here, a.event, show(a.t)) end
    local time_rule, rule_for = rules_at(a, b)
    local wrong = compare.entry(a, b, time_rule, rule_for, here)
    if wrong then return wrong end
  end
end

-- What an expected error must name: from a recorded text, or from the reference's failure.
local function facts_of(expected)
  if expected.failure then
    return expected.failure.message, expected.failure.system and expected.failure.time, expected.failure.system
  end
  local time, message = expected.error:match 'stopped at time (%S+) because .- failed with message: "(.*)"'
  return message, tonumber(time)
end

-- A failing handler's message, its time and its system must be named; other errors are free in their wording.
function compare.failure(expected, got, name_of, where)
  if not got.error then return where .. ": expected an error like: " .. expected.error end
  local message, time, system = facts_of(expected)
  if not time then return end
  if not got.error:find(message, 1, true) then return differ(where .. " error", message, got.error) end
  local failure = got.failure or {}
  if failure.time and math.abs(failure.time - time) > 1e-9 then
    return differ(where .. " time of the failure", time, failure.time)
  end
  local named = system and name_of(system)
  if named and not got.error:find(named, 1, true) and failure.system ~= named then
    return differ(where .. " system of the failure", named, got.error)
  end
end

function compare.status(expected, got, time_rule, name_of, where)
  if not expected then return end
  if got.error then return ("%s: expected %s, got the error: %s"):format(where, expected.reason, got.error) end
  local status = got.status
  if not status then return where .. ": no status" end
  if expected.reason ~= status.reason then return differ(where .. " status", expected.reason, status.reason) end
  for _, key in ipairs { "return_time", "boundary_time" } do
    if not compare.agree(time_rule, expected[key], status[key]) then
      return differ(where .. " " .. key, expected[key], status[key])
    end
  end
  if expected.message and expected.message ~= "" and expected.message ~= status.message then
    return differ(where .. " message", expected.message, status.message)
  end
  if expected.system and status.system ~= "" and name_of(expected.system) ~= status.system then
    return differ(where .. " system", name_of(expected.system), status.system)
  end
end

function compare.counters(expected, got, names, where)
  for _, name in ipairs(names) do
    if expected and expected[name] ~= got[name] then return differ(where .. " " .. name, expected[name], got[name]) end
  end
end

local integrator_counts = {
  "integrator_num_steps_taken", "integrator_actual_initial_step_size_taken", "integrator_largest_step_size_taken",
  "largest_step_size_taken", "integrator_smallest_adapted_step_size_taken",
  "integrator_num_step_shrinkages_from_error_control",
}

-- Counts by the file's rule, sizes as times; derivative evaluations are an upper bound (twice for semi_explicit_euler;
-- where witnesses are isolated the last step's end is looked at too, which the next step would have begun with).
function compare.integrator(expected, got, rules, where)
  if not expected then return end
  for _, key in ipairs(integrator_counts) do
    local known = expected[key] ~= nil and not (key:find "largest" and expected[key] == "nan")
    local counted = rules.integrator.kind ~= "informative" or rules.steps_counted and key:find "num_steps_taken"
    local rule = key:find "size" and compare.loosened(rules.time, 1e-12) or { kind = "exact" }
    if known and counted and not compare.agree(rule, expected[key], got[key]) then
      return differ(where .. " " .. key, expected[key], got[key])
    end
  end
  local most = expected.integrator_num_derivative_evaluations
  local factor = rules.scheme == "semi_explicit_euler" and 2 or 1
  local count = got.integrator_num_derivative_evaluations
  most = most and factor * most + (rules.isolates and 1 or 0)
  if most and not implicit[rules.scheme] and count and count > most then
    return ("%s derivative evaluations: at most %d, got %d"):format(where, most, count)
  end
end

return compare
