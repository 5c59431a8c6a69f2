-- Simbody's measures as blocks: settings of the delay, its own run of a feedback loop, the other measures.
--
-- What Simbody does exactly is matched to 1e-12; where its README or the file itself says that it falls short (a past
-- thrown away, extremes seen at accepted points alone, derivatives dropped or oscillating), the exact result is the
-- measure, and ours is never farther from it.
local unit_lag = require "support.unit_lag"

local measures = {}

local function near(what, want, got, tolerance, t)
  if math.abs(want - got) <= tolerance * math.max(1, math.abs(want)) then return nil end
  return ("%s at %.9g: expected %.15g, got %.15g"):format(what, t, want, got)
end

-- ---- the feedback loop x' = -x(t - 1), x = 1 before ----

local function loop(saltus, late)
  local blocks, d = saltus.blocks, saltus.diagram "loop"
  d:add(blocks.integral { initial = 1 }, "state")
  d:add(blocks.gain { gain = -1 }, "minus")
  d:add(late, "late")
  d:connect("state", "late")
  d:connect("late", "minus")
  d:connect("minus", "state")
  return d
end

-- The same as a delay equation.
local function equation(saltus)
  return saltus.system { name = "feedback", z = { { "x", 1 } }, past = { x = 1 },
    derivatives = function(ctx, dot) dot.x = -ctx.past.x(1) end }
end

-- "A new engine must be far closer to the exact solution at the same tolerance": a hundredth of Simbody's error; no
-- larger with Euler's fixed steps.
local function feedback(saltus, run, system, name)
  local free = run.accuracy > 0
  local sim = saltus.simulator(system, free and { accuracy = run.accuracy }
    or { integrator = "explicit_euler", max_step = run.max_or_fixed_step })
  local theirs, ours = 0, 0
  for _, row in ipairs(run.t_x_delayed) do
    sim:advance_to(row[1] + 0.0)
    theirs = math.max(theirs, math.abs(row[2] - unit_lag.exact(row[1])))
    ours = math.max(ours, math.abs(sim.context[name] - unit_lag.exact(row[1])))
  end
  if ours > theirs / (free and 100 or 1) then return ("largest error %.2g, Simbody's %.2g"):format(ours, theirs) end
end

function measures.feedback_cases(file)
  local cases = {}
  for _, run in ipairs(file.runs) do
    local title = ("%s, %s at %g"):format(file.name, run.integrator, run.accuracy)
    cases[#cases + 1] = { title = title .. ", through a block", judge = function(saltus)
      return feedback(saltus, run, loop(saltus, saltus.blocks.delay { delay = 1 }), "state.output")
    end }
    cases[#cases + 1] = { title = title .. ", as an equation", judge = function(saltus)
      return feedback(saltus, run, equation(saltus), "x")
    end }
  end
  return cases
end

-- ---- settings ----

local function delayed_sine(saltus, options)
  local blocks, d = saltus.blocks, saltus.diagram "settings"
  d:add(blocks.sine { frequency = 2 }, "source")
  d:add(blocks.delay(options), "late")
  d:connect("source", "late.input")
  return saltus.simulator(d)
end

local function default_of(name)
  for _, option in ipairs(require("saltus.blocks").kinds().delay.options) do
    if option.name == name then return option.default ~= 0 end
  end
  return nil
end

local function closes_a_loop(saltus, options)
  options.delay = 0.3
  return (pcall(saltus.simulator, loop(saltus, saltus.blocks.gain { gain = 1 }))) -- the loop itself is sound
    and (pcall(function()
      local blocks, d = saltus.blocks, saltus.diagram "direct"
      d:add(blocks.delay(options), "late")
      d:add(blocks.gain { gain = 0.5 }, "half")
      d:connect("late", "half")
      d:connect("half", "late")
      return saltus.simulator(d)
    end))
end

-- The counterpart of a getter; handles, counts and stages are Simbody's own and have no counterpart.
local getters = {
  ["getDelay"] = function(saltus) return delayed_sine(saltus, { delay = 0.3 }).context.late.delay end,
  ["getUseLinearInterpolationOnly"] = function() return default_of "linear_only" end,
  ["getCanUseCurrentValue"] = function() return default_of "can_use_current" end,
  -- Stage Time: the result is available before the source, so loops close; otherwise they do not.
  ["getDependsOnStage"] = function(saltus) return closes_a_loop(saltus, {}) and "Time" end,
  ["getDependsOnStage with can_use_current (source at Acceleration)"] = function(saltus)
    return not closes_a_loop(saltus, { can_use_current = true }) and "Acceleration"
  end,
  ["getDependsOnStage without can_use_current (source at Acceleration)"] = function(saltus)
    return closes_a_loop(saltus, {}) and "Time"
  end,
}

local function api(saltus, file)
  local asked = 0
  for _, call in ipairs(file.api) do
    local get = getters[call["do"]]
    if get then
      asked = asked + 1
      local got = get(saltus)
      if got ~= call.result then return ("%s: expected %s, got %s"):format(call["do"], call.result, got) end
    end
  end
  if asked == 0 then return "none of the recorded calls is known" end
end

-- A change in mid-run keeps the history, which Simbody throws away: then the source itself is what is expected.
local function change_in_mid_run(saltus, file)
  local sim, changed = delayed_sine(saltus, { delay = 0.3, max_delay = 0.6 }), false
  for _, row in ipairs(file.change_in_mid_run) do
    if not row.t then
      sim.context.late.delay, changed = 0.55, true
    else
      sim:advance_to(row.t + 0.0)
      local want = changed and math.sin(2 * (row.t - 0.55)) or row.out
      local wrong = near("delayed value", want, sim.context.late.output, 1e-6, row.t)
      if wrong then return wrong end
    end
  end
end

-- Delay 0 is the identity; negative and infinite delays are refused, where Simbody takes both.
local function odd_delays(saltus, file)
  for _, row in ipairs(file.odd_delays) do
    local delay = row.delay == "Infinity" and math.huge or row.delay
    if delay == 0 then
      local sim = delayed_sine(saltus, { delay = 0 })
      for k = 0, 6 do
        sim:advance_to(k / 10)
        local wrong = near("the identity", math.sin(2 * k / 10), sim.context.late.output, 0, k / 10)
        if wrong then return wrong end
      end
    elseif pcall(saltus.blocks.delay, { delay = delay }) then
      return ("a delay of %s is taken"):format(delay)
    end
  end
end

function measures.settings_cases(file)
  return {
    { title = "getters of a delay", judge = function(saltus) return api(saltus, file) end },
    { title = "a delay changed in mid-run", judge = function(saltus) return change_in_mid_run(saltus, file) end },
    { title = "odd delays", judge = function(saltus) return odd_delays(saltus, file) end },
  }
end

-- ---- the other measures, of exp(-0.3 t) sin(5 t) ----

local function wave(t) return math.exp(-0.3 * t) * math.sin(5 * t) end
local function wave_rate(t) return math.exp(-0.3 * t) * (5 * math.cos(5 * t) - 0.3 * math.sin(5 * t)) end
local function wave_integral(t)
  return (5 - math.exp(-0.3 * t) * (0.3 * math.sin(5 * t) + 5 * math.cos(5 * t))) / (25 + 0.09)
end

local merits = {
  max = function(x) return x end,
  min = function(x) return -x end,
  maxabs = math.abs,
  minabs = function(x) return -math.abs(x) end,
}

-- Its extreme until t: at an end, where tan(5 s) = 5 / 0.3, or where it is 0.
local function extreme(merit, t)
  local best = 0
  local function consider(s)
    if s <= t and merit(wave(s)) > merit(wave(best)) then best = s end
  end
  for k = 0, math.ceil(5 * t / math.pi) do
    consider((math.atan(5 / 0.3) + k * math.pi) / 5)
    consider(k * math.pi / 5)
  end
  consider(t)
  return wave(best), best
end

local function bench(saltus)
  local blocks, d = saltus.blocks, saltus.diagram "measures"
  d:add(blocks.function_of_time { f = wave }, "source")
  d:add(blocks.function_of_time { f = wave_rate }, "slope")
  d:add(blocks.clock {}, "clock")
  d:add(blocks.constant { value = 29 }, "variable")
  d:add(blocks.sum { signs = "++" }, "plus")
  d:add(blocks.sum { signs = "+-" }, "minus")
  d:add(blocks.gain { gain = -3 }, "scale")
  d:add(blocks.integral { initial = 2.5 }, "integrate")
  d:add(blocks.differentiate {}, "differentiate")
  -- A sine and its three derivatives are four sines.
  d:add(blocks.sine { amplitude = { 2, 6, 18, 54 }, frequency = 3,
    phase = { 0.5, 0.5 + math.pi / 2, 0.5 + math.pi, 0.5 + 3 * math.pi / 2 } }, "sinusoid")
  for name, kind in pairs { max = "maximum", min = "minimum", maxabs = "max_abs", minabs = "min_abs" } do
    d:add(blocks[kind] { when = true, rate = true }, name)
    d:connect("source", name .. ".input")
    d:connect("slope", name .. ".input_rate")
  end
  for _, name in ipairs { "plus", "minus" } do
    d:connect("source", name .. ".input1")
    d:connect("clock", name .. ".input2")
  end
  for _, name in ipairs { "scale", "integrate", "differentiate" } do d:connect("source", name) end
  return saltus.simulator(d)
end

local function extremes(ctx, row)
  for name, merit in pairs(merits) do
    local value, at = extreme(merit, row.t)
    local leads = math.abs(row.t - at) < 1e-9
    local wrong = near(name, value, ctx[name].output, 1e-6, row.t)
      or not leads and near(name .. "'s time", at, ctx[name].when, 1e-3, row.t)
      or near(name .. "'s derivative", leads and row.source_d or 0, ctx[name].rate, 1e-12, row.t)
    if not wrong and merit(ctx[name].output) < merit(row[name]) - 1e-6 then
      wrong = ("%s at %.9g: Simbody saw %.15g, ours is %.15g"):format(name, row.t, row[name], ctx[name].output)
    end
    if wrong then return wrong end
  end
end

local function derivative(ctx, row)
  local ours, theirs = math.abs(ctx.differentiate.output - row.source_d),
    math.abs(row.differentiate_approx - row.source_d)
  if ours <= theirs then return nil end
  return ("derivative at %.9g: off by %.2g, Simbody's by %.2g"):format(row.t, ours, theirs)
end

local function judge_row(ctx, row)
  local t = row.t
  for _, name in ipairs { "source", "plus", "minus", "scale", "variable" } do
    local wrong = near(name, row[name], ctx[name].output, 1e-12, t)
    if wrong then return wrong end
  end
  return near("time", t, ctx.clock.output, 0, t)
    or near("sinusoid", row.sinusoid, ctx.sinusoid.output[1], 1e-12, t)
    or near("third derivative", row.sinusoid_d3, ctx.sinusoid.output[4], 1e-12, t)
    or near("integral", 2.5 + wave_integral(t), ctx.integrate.output, 1e-5, t)
    or extremes(ctx, row) or derivative(ctx, row)
end

local function other(saltus, file)
  local sim = bench(saltus)
  sim:initialize()
  for _, row in ipairs(file.rows) do
    sim:advance_to(row.t + 0.0)
    if sim.context.variable.value ~= row.variable then sim.context.variable.value = row.variable end
    local wrong = judge_row(sim.context, row)
    if wrong then return wrong end
  end
end

function measures.other_cases(file)
  return { { title = file.name, judge = function(saltus) return other(saltus, file) end } }
end

return measures
