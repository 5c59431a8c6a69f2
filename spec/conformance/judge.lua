-- Decides what a recorded case requires of the engine. By default everything is expected as recorded. A ruling applies
-- by the contents of the case, never by its file name or number. Then the reference, the tolerance of isolated
-- witnesses or the law of the bouncing ball gives what is expected.
local balls = require "conformance.balls"
local compare = require "conformance.compare"
local isolated = require "conformance.isolated"
local reference = require "conformance.reference"
local replay = require "conformance.drake_replay"
local sorted_keys = require "support.sorted_keys"

local judge = {}

local simulator_counts = { "steps", "publishes", "discrete_updates", "unrestricted_updates" }

local function scheme_of(case)
  local recorded = case.settings and case.settings.integrator
  return recorded and recorded.scheme or "runge_kutta3"
end

local function flows(case)
  for _, part in ipairs(case.model.subsystems) do
    if part.xc then return true end
  end
  return false
end

local function rules_of(case, texts, applied)
  local recorded = case.settings and case.settings.integrator or {}
  local scheme = scheme_of(case)
  local accuracy = recorded.target_accuracy or replay.default_accuracy[scheme]
  local rules = {
    scheme = scheme,
    time = compare.rule(texts.time, scheme, accuracy),
    state = compare.rule(texts.state, scheme, accuracy),
    counts = compare.rule(texts.counts, scheme, accuracy),
    integrator = compare.rule(texts.integrator_counts, scheme, accuracy),
    steps_counted = texts.counts and texts.counts:find "integrator step counts" ~= nil,
  }
  -- The estimated error is a small difference: its rounding is that of the step sizes, in every engine another one.
  if compare.is_implicit(scheme) and rules.state.kind == "abs" then rules.state.kind = "rel" end
  rules.sample_time = applied[6] and { kind = "rel", tolerance = 1e-15 } or { kind = "exact" }
  if flows(case) and not isolated.is_fixed(case) then
    local rounding = math.max(1e-9, 20 * 2.0 ^ -52 / isolated.accuracy_of(case))
    rules.time, rules.state = compare.loosened(rules.time, rounding), compare.loosened(rules.state, rounding)
  end
  if applied[9] then
    rules.time, rules.state = compare.loosened(rules.time, 1e-9), compare.loosened(rules.state, 1e-9)
  end
  if applied[6] then rules.time = compare.loosened(rules.time, 1e-15) end
  return rules
end

-- Where the times of steps are informative, so is what happens at each of them.
local function told(log, rules)
  if rules.time.kind ~= "informative" then return log end
  local list = {}
  for _, entry in ipairs(log) do
    if entry.event ~= "monitor" and entry.trigger ~= "per_step" then list[#list + 1] = entry end
  end
  return list
end

local function to_the_letter(case, expected, got, rules, name_of)
  local counted = rules.counts.kind ~= "informative"
  local always = { element = function() return rules.state end, steps_are_informative = not counted }
  local function rules_at(entry)
    local sampled = entry.trigger == "periodic" or entry.trigger == "init"
    return sampled and rules.sample_time or rules.time, always
  end
  for i, want in ipairs(expected) do
    local have = got[i]
    local where = ("op %d %s"):format(i, want.op)
    rules.scheme = want.op == "reset_integrator" and case.run[i].scheme or rules.scheme
    local wrong = want.error and compare.failure(want, have, name_of, where)
      or not want.error and compare.status(want.status, have, rules.time, name_of, where)
      or compare.log(told(want.log, rules), told(have.log, rules), rules_at, where)
      or compare.number(rules.time, want.after.t, have.after.t, where .. " t")
      or compare.state(want.after.state, have.after.state, always.element, where .. " after")
    if not wrong and want.after.counters then
      wrong = counted and compare.counters(want.after.counters, have.after.counters, simulator_counts, where)
        or compare.integrator(want.after.counters.integrator, have.after.counters.integrator, rules, where)
    end
    if wrong then return wrong end
  end
end

-- The recorded dense output: values and derivatives at the sample times, and the breaks.
local function dense(case, got, rules, free_breaks)
  for i, op in ipairs(case.run) do
    local want, have = op.result, got.ops[i].result
    if want and not have then return ("op %d: no dense output"):format(i) end
    if want and not free_breaks and want.segments ~= have.segments then
      return compare.differ("segments", want.segments, have.segments)
    end
    for k, sample in ipairs(want and not free_breaks and want.samples or {}) do
      for _, key in ipairs { "value", "derivative" } do
        for j, x in ipairs(sample[key]) do
          if not compare.agree(rules.state, x, have.samples[k][key][j]) then
            return compare.differ(("dense %s %d at %s"):format(key, j, sample.t), x, have.samples[k][key][j])
          end
        end
      end
    end
  end
end

-- nil when the engine has all that the case needs, else what is missing.
function judge.missing(saltus, case)
  local schemes = { scheme_of(case) }
  for _, op in ipairs(case.run) do schemes[#schemes + 1] = op.scheme end
  local trial = saltus.system { name = "trial", z = { { "x", 0 } }, derivatives = function(_, dot) dot.x = 0 end }
  for _, scheme in ipairs(schemes) do
    local fine, why = pcall(saltus.simulator, trial, { integrator = scheme, max_step = 0.1 })
    if not fine then
      why = tostring(why)
      if why:find("integrator", 1, true) and why:find(scheme, 1, true) then
        return "the integrator " .. scheme .. " is not in the engine yet"
      end
    end
  end
  for _, op in ipairs(case.run) do
    if op.op == "start_dense" and not pcall(function()
      assert(saltus.simulator(trial, {}).integrator.start_dense_output)
    end) then
      return "the dense output object is not in the engine yet"
    end
  end
end

local function refusal(case, got)
  if case.run[1].error then return nil end
  return "the simulator was refused: " .. got.refused
end

-- The operation at which the recording misses an accuracy, if it does.
local function misses_accuracy(case, window)
  if not window or case.settings and case.settings.context_accuracy then return nil end
  for i, op in ipairs(case.run) do
    if op.error and op.error:find("accuracy", 1, true) then return i end
  end
end

-- Ruling 3 where the reference knows no scheme: the recording ends at its error about the missing accuracy, and there
-- is none. Answers what is comparable, and what is wrong.
local function without_accuracy(case, got, missing)
  if not missing then return case.run end
  local raised = got.ops[missing].error
  return table.move(case.run, 1, missing - 1, 1, {}), raised and ("op %d: %s"):format(missing, raised)
end

local function alike(a, b)
  local near = math.abs(a.t - b.t) <= 1e-9 * math.max(1, math.abs(a.t))
  return near and a.event == b.event and a.sys == b.sys and a.kind == b.kind
end

-- What happens when, from a reference that knows no states, with the recorded states.
local function with_states(still, recorded)
  local ops = {}
  for i, op in ipairs(still) do
    local after = setmetatable({ state = recorded[i].after.state }, { __index = op.after })
    local made = setmetatable({ log = {}, after = after }, { __index = op })
    if op.after.counters then op.after.counters.integrator = nil end
    local at = 1
    for k, entry in ipairs(op.log) do
      local from = at
      while recorded[i].log[from] and not alike(entry, recorded[i].log[from]) do from = from + 1 end
      local want = recorded[i].log[from]
      at = want and from + 1 or at
      made.log[k] = setmetatable({}, { __index = function(_, key)
        local seen = key == "xc" or key == "xd" or key == "xa" or key == "u" or key == "state"
        if seen then return want and want[key] end
        return entry[key]
      end })
    end
    ops[i] = made
  end
  return ops
end

-- The reference's run; of a scheme that it does not know, only where a ruling changes what happens when.
local function predict(case, window)
  local predicted = reference.run(case)
  local still = not predicted and not window and reference.run(case, true)
  if not still or not next(still.applied) then return predicted end
  still.ops, still.still = with_states(still.ops, case.run), true
  return still
end

-- What may be expected instead: where rounding decides whether a step's end has crossed, what the reference saw; where
-- the reference knows no states, and so no failed iterations, what is recorded.
local function otherwise(case, predicted, expected)
  if not predicted then return nil end
  if predicted.still then return case.run end
  return predicted.on_edge and expected ~= predicted.ops and predicted.ops or nil
end

-- Answers { wrong = text | nil, applied = { ruling numbers }, got = run, predicted = reference }.
function judge.case(saltus, case, texts)
  local window = isolated.window(case)
  local predicted = predict(case, window)
  local applied = predicted and predicted.applied or {}
  local ball = balls.find(case)
  local missing = misses_accuracy(case, window)
  local verdict = { predicted = predicted }
  if missing then applied[3] = true end

  if ball and (ball.rests or window) then
    applied[5] = true
    verdict.wrong, verdict.got = balls.judge(saltus, case, ball, window)
    if window then applied[1] = true end
    verdict.applied = sorted_keys(applied)
    return verdict
  end

  local got = replay.run(saltus, case)
  verdict.got = got
  if got.refused then
    verdict.wrong, verdict.applied = refusal(case, got), sorted_keys(applied)
    return verdict
  end
  local crossing = window and isolated.first_crossing(predicted, got, case)
  if crossing and isolated.more_events(predicted, case) then applied[4] = true end
  local rules = rules_of(case, texts, applied)
  rules.isolates = window ~= nil
  local differs = false
  for n in pairs(applied) do differs = differs or n ~= 9 or not crossing end
  local expected = differs and predicted and predicted.ops or case.run
  if not predicted then expected, verdict.wrong = without_accuracy(case, got, missing) end
  if verdict.wrong then
    crossing = nil
  elseif crossing then
    applied[1] = true
  end
  if not verdict.wrong then
    local function differs_from(ops)
      if not crossing then return to_the_letter(case, ops, got.ops, rules, got.built.name_of) end
      return isolated.judge(saltus, case, ops, got, { rules = rules, window = window, crossing = crossing })
    end
    local other = otherwise(case, predicted, expected)
    verdict.wrong = differs_from(expected)
    if verdict.wrong and other then verdict.wrong = differs_from(other) and verdict.wrong end
  end
  verdict.wrong = verdict.wrong or dense(case, got, rules, crossing ~= nil)
  verdict.applied = sorted_keys(applied)
  return verdict
end

return judge
