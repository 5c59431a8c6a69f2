-- Ruling 1: with isolated witnesses the order and identity of events are as recorded; times agree within
-- T = window + S + 1e-9 and states within T * max(1, |x'|). From the start of the step with the first crossing on,
-- steps, per-step events and monitor calls are informative.
local compare = require "conformance.compare"
local model_of = require "conformance.reference_model"
local replay = require "conformance.drake_replay"

local isolated = {}

local function is_fixed(case)
  local recorded = case.settings and case.settings.integrator
  if not recorded then return false end
  local fixed_only = { explicit_euler = true, semi_explicit_euler = true, runge_kutta2 = true }
  return recorded.fixed_step or fixed_only[recorded.scheme] or false
end
isolated.is_fixed = is_fixed

local function accuracy_of(case)
  local recorded = case.settings and case.settings.integrator
  if not recorded then return 1e-4 end
  return recorded.target_accuracy or replay.default_accuracy[recorded.scheme]
end

isolated.accuracy_of = accuracy_of

-- The isolation window of a case with these settings, nil where witnesses are not isolated.
function isolated.window_of(settings)
  local case, accuracy = { settings = settings }, settings.context_accuracy
  if is_fixed(case) then return accuracy and math.max(1e-14, 0.01 * accuracy * settings.integrator.max_step_size) end
  return math.max(1e-14, 0.01 * (accuracy or accuracy_of(case)))
end

-- The same of a case that has witnesses, else nil.
function isolated.window(case)
  for _, part in ipairs(case.model.subsystems) do
    for _, event in ipairs(part.events or {}) do
      if event.trigger == "witness" then return isolated.window_of(case.settings or {}) end
    end
  end
end

local function witness_events(ops)
  local list = {}
  for i, op in ipairs(ops) do
    for _, entry in ipairs(op.log) do
      if entry.trigger == "witness" then list[#list + 1] = { entry = entry, op = i } end
    end
  end
  return list
end

local function earliest(...)
  local first
  for _, ops in ipairs { ... } do
    local event = witness_events(ops)[1]
    if event then first = math.min(first or event.entry.t, event.entry.t) end
  end
  return first
end

-- Where the step with the first crossing starts: the reference knows; where it sees none, ours or the recording may (at
-- the very end of a call rounding decides), and the ends of the steps decide.
function isolated.first_crossing(predicted, got, case)
  if predicted and predicted.crossing then return predicted.crossing end
  local first = earliest(got.ops, case.run)
  local start
  for _, step in ipairs(got.steps) do
    if first and step.t < first then start = math.max(start or step.t, step.t) end
  end
  return start
end

-- Does the reference find crossings that the recording lost (two inside one step)? An error in the recording, or one
-- predicted, ends the comparison.
function isolated.more_events(predicted, case)
  if not predicted then return false end
  for i, op in ipairs(case.run) do
    if op.error or predicted.ops[i].error then return false end
  end
  return #witness_events(predicted.ops) > #witness_events(case.run)
end

local function largest_difference(a, b)
  local largest = 0
  for name, part in pairs(a) do
    for i, x in ipairs(part.xc or {}) do
      local y = b[name] and b[name].xc and b[name].xc[i]
      if y then largest = math.max(largest, math.abs(x - y)) end
    end
  end
  return largest
end

-- At matching events, and where calls end, between our run and another one of the same case.
local function runs_differ(got, other)
  if other.refused then return 0 end
  local largest = 0
  local a, b = witness_events(got.ops), witness_events(other.ops)
  for i = 1, math.min(#a, #b) do
    local x, y = a[i].entry, b[i].entry
    if x.event == y.event and x.sys == y.sys then
      largest = math.max(largest, math.abs(x.t - y.t), largest_difference({ { xc = x.xc } }, { { xc = y.xc } }))
    end
  end
  for i, op in ipairs(got.ops) do
    largest = math.max(largest, largest_difference(op.after.state, other.ops[i].after.state))
  end
  return largest
end

local function is_recorded(case)
  for _, op in ipairs(case.run) do
    if op.op == "start_dense" then return true end
  end
end

-- S, the scheme's own error: 10 x accuracy, or the largest difference to our run with half the maximum step; where the
-- dense output is Hermite's, in which events are found, that to the method's own.
local function own_error(saltus, case, got)
  if is_fixed(case) then
    return runs_differ(got, replay.run(saltus, case, { max_step = case.settings.integrator.max_step_size / 2 }))
  end
  local error = 10 * accuracy_of(case)
  if not is_recorded(case) then return error end
  return math.max(error, runs_differ(got, replay.run(saltus, case, { own_dense_output = true })))
end

-- Elements that per-step updates write, directly or through others: they count steps, which are informative.
local function step_counters(case)
  local tainted, grown = {}, true
  local function key(part, name) return part.name .. "." .. name end
  local function reads_tainted(part, text)
    for name in text:gmatch "%a+%d+" do
      if tainted[key(part, name)] then return true end
    end
  end
  while grown do
    grown = false
    for _, part in ipairs(case.model.subsystems) do
      for _, event in ipairs(part.events or {}) do
        for target, text in pairs(event.update or {}) do
          local taints = event.trigger == "per_step" or reads_tainted(part, text)
          if taints and not tainted[key(part, target)] then tainted[key(part, target)], grown = true, true end
        end
      end
    end
  end
  return tainted
end

-- |x'| at our own step end nearest to t, by subsystem.
local function rates(case, got)
  local model = model_of.new(case.model)
  return function(t)
    local best
    for _, step in ipairs(got.steps) do
      if not best or math.abs(step.t - t) < math.abs(best.t - t) then best = step end
    end
    local result, most = {}, 0
    if not best then return result, most end
    model.t = best.t
    for _, part in ipairs(model.parts) do
      local state = best.state[part.name] or {}
      for _, prefix in ipairs { "xc", "xd", "xa" } do part[prefix] = state[prefix] or {} end
    end
    local f, at = model:derivatives(), 0
    for _, part in ipairs(model.parts) do
      result[part.name] = {}
      for i = 1, #part.ode do
        at = at + 1
        result[part.name][i] = math.abs(f[at])
        most = math.max(most, math.abs(f[at]))
      end
    end
    return result, most
  end
end

local function kept(log, crossing)
  local list = {}
  for _, entry in ipairs(log) do
    local informative = entry.trigger == "per_step" or entry.event == "monitor"
    if not informative or entry.t <= crossing + 1e-12 * math.max(1, math.abs(crossing)) then list[#list + 1] = entry end
  end
  return list
end

-- A crossing within T of where a call ends: rounding decides whether that call sees it or the next one.
local function on_edge(entry, ends, T)
  if entry.trigger ~= "witness" then return false end
  for _, t in ipairs(ends) do
    if math.abs(entry.t - t) <= T then return true end
  end
  return false
end

local function edge_counts(log, ends, T)
  local counts = {}
  for _, entry in ipairs(log) do
    local key = (entry.sys or "") .. "\0" .. entry.event
    if on_edge(entry, ends, T) then counts[key] = (counts[key] or 0) + 1 end
  end
  return counts
end

-- The two logs without what only one of them has at the edge of a call; third: whether there was such.
local function without_edges(want, have, ends, T)
  local a, b, dropped = edge_counts(want, ends, T), edge_counts(have, ends, T), false
  local function settled(log)
    local list = {}
    for _, entry in ipairs(log) do
      local key = (entry.sys or "") .. "\0" .. entry.event
      local differs = a[key] ~= b[key] and on_edge(entry, ends, T)
      dropped = dropped or differs
      if not differs then list[#list + 1] = entry end
    end
    return list
  end
  return settled(want), settled(have), dropped
end

-- Dispatch counters stay comparable unless per-step events feed them or several witnesses fired as one.
local function counted(case, expected)
  local names = { publish = "publishes", discrete = "discrete_updates", unrestricted = "unrestricted_updates" }
  local last = {}
  for _, part in ipairs(case.model.subsystems) do
    for _, event in ipairs(part.events or {}) do
      if event.trigger == "per_step" then names[event.kind] = nil end
    end
  end
  for _, seen in ipairs(witness_events(expected)) do
    local kind = seen.entry.kind
    if last[kind] == seen.entry.t then names[kind] = nil end
    last[kind] = seen.entry.t
  end
  local list = {}
  for _, name in pairs(names) do list[#list + 1] = name end
  return list
end

function isolated.judge(saltus, case, expected, got, given)
  local rules, crossing = given.rules, given.crossing
  local T = given.window + own_error(saltus, case, got) + 1e-9
  local rate_at, tainted, counts = rates(case, got), step_counters(case), counted(case, expected)
  local within = { kind = "abs", tolerance = T }

  local function elements_at(t)
    if t <= crossing then return function() return compare.loosened(rules.state, 1e-9) end end
    local rate, most = rate_at(t)
    return function(sys, prefix, i)
      if tainted[sys .. "." .. prefix .. i] then return { kind = "informative" } end
      local slope = prefix == "xc" and rate[sys] and rate[sys][i] or most
      return { kind = "abs", tolerance = T * math.max(1, slope) }
    end
  end
  local function rules_at(want)
    local loose = want.t > crossing and want.trigger == "witness"
    local time = loose and within or compare.loosened(rules.time, 1e-12)
    return time, { element = elements_at(want.t), steps_are_informative = true }
  end

  local edges = {}
  for i, op in ipairs(case.run) do edges[i] = op.op == "advance_to" and op.t or nil end
  for i, want in ipairs(expected) do
    local have, where = got.ops[i], ("op %d %s"):format(i, want.op)
    local calls, ours, dropped =
      without_edges(kept(want.log, crossing), kept(have.log, crossing), { edges[i] or edges[i - 1], edges[i - 1] }, T)
    if dropped then counts = {} end
    local wrong = want.error and compare.failure(want, have, got.built.name_of, where)
      or not want.error and compare.status(want.status, have, within, got.built.name_of, where)
      or compare.log(calls, ours, rules_at, where)
      or compare.number(within, want.after.t, have.after.t, where .. " t")
      or compare.state(want.after.state, have.after.state, elements_at(have.after.t), where .. " after")
      or want.after.counters and compare.counters(want.after.counters, have.after.counters, counts, where)
    if wrong then return ("%s (T = %.3g)"):format(wrong, T) end
  end
end

return isolated
