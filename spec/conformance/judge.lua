-- Decides what a recorded case asks of the engine. By default everything as recorded; a ruling applies by what the case
-- contains, and then the reference, the tolerance of isolated witnesses or the law of the bouncing ball says what is
-- expected instead. Never by file name or number.
local balls = require "conformance.balls"
local compare = require "conformance.compare"
local isolated = require "conformance.isolated"
local reference = require "conformance.reference"
local replay = require "conformance.drake_replay"

local judge = {}

local simulator_counts = { "steps", "publishes", "discrete_updates", "unrestricted_updates" }

local function scheme_of(case)
  local recorded = case.settings and case.settings.integrator
  return recorded and recorded.scheme or "runge_kutta3"
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

local function to_the_letter(expected, got, rules, name_of)
  local counted = rules.counts.kind ~= "informative"
  local always = { element = function() return rules.state end, steps_are_informative = not counted }
  for i, want in ipairs(expected) do
    local have = got[i]
    local where = ("op %d %s"):format(i, want.op)
    local wrong = want.error and compare.failure(want, have, name_of, where)
      or not want.error and compare.status(want.status, have, rules.time, name_of, where)
      or compare.log(told(want.log, rules), told(have.log, rules), function() return rules.time, always end, where)
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

local function numbers(applied)
  local list = {}
  for n in pairs(applied) do list[#list + 1] = n end
  table.sort(list)
  return list
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

-- Ruling 3 where the reference knows no scheme: the recording ends at its error about the missing accuracy, and there
-- is none. Answers what is comparable, and what is wrong.
local function without_accuracy(case, got, window)
  if not window or case.settings and case.settings.context_accuracy then return case.run end
  local list = {}
  for i, op in ipairs(case.run) do
    if op.error and op.error:find("accuracy", 1, true) then
      return list, got.ops[i].error and ("op %d: %s"):format(i, got.ops[i].error)
    end
    list[i] = op
  end
  return list
end

-- Answers { wrong = text | nil, applied = { ruling numbers }, got = run, predicted = reference }.
function judge.case(saltus, case, texts)
  local predicted = reference.run(case)
  local applied = predicted and predicted.applied or {}
  local window = isolated.window(case)
  local ball = balls.find(case)
  local verdict = { predicted = predicted }

  if ball and (ball.rests or window) then
    applied[5] = true
    verdict.wrong, verdict.got = balls.judge(saltus, case, ball, window)
    if window then applied[1] = true end
    verdict.applied = numbers(applied)
    return verdict
  end

  local got = replay.run(saltus, case)
  verdict.got = got
  if got.refused then
    verdict.wrong, verdict.applied = refusal(case, got), numbers(applied)
    return verdict
  end
  local crossing = window and isolated.first_crossing(predicted, got)
  if crossing and isolated.more_events(predicted, case) then applied[4] = true end
  local rules = rules_of(case, texts, applied)
  local differs = false
  for n in pairs(applied) do differs = differs or n ~= 9 or not crossing end
  local expected = differs and predicted and predicted.ops or case.run
  if not predicted then
    expected, verdict.wrong = without_accuracy(case, got, window)
    if #expected < #case.run then applied[3] = true end
  end
  if verdict.wrong then
    crossing = nil
  elseif crossing then
    applied[1] = true
    verdict.wrong = isolated.judge(saltus, case, expected, got, { rules = rules, window = window, crossing = crossing })
  else
    verdict.wrong = to_the_letter(expected, got.ops, rules, got.built.name_of)
  end
  verdict.wrong = verdict.wrong or dense(case, got, rules, crossing ~= nil)
  verdict.applied = numbers(applied)
  return verdict
end

return judge
