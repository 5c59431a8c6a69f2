-- The recorded walkers, Drake's rimless wheel and compass gait, built from their description: the footfalls must be
-- those recorded, in number, order, time and state (ruling 1).
local isolated = require "conformance.isolated"
local replay = require "conformance.drake_replay"

local walkers = {}

local eps = 2.0 ^ -52
local sin, cos = math.sin, math.cos

-- A wheel of spokes on a slope: two guards, and double support when too little speed is left.
local function rimless_wheel(saltus, case, seen)
  local p = case.parameters
  local alpha = math.pi / p.number_of_spokes
  local slow = 0.01 * math.sqrt(p.gravity / p.length)
  local function walking(ctx) return ctx.double_support == 0 end

  -- way is 1 for a forward step, -1 for a backward one.
  local function footfall(way)
    return function(ctx, next)
      seen[#seen + 1] = { t = ctx.time, xc = { ctx.theta, ctx.w } }
      local w = ctx.w * cos(2 * alpha)
      next.theta = ctx.theta - way * (2 * alpha - eps)
      next.toe = ctx.toe + way * 2 * p.length * sin(alpha)
      local rests = way * w < slow
      next.w = rests and 0 or w
      if rests then next.double_support = 1 end
      seen[#seen].toe = ctx.toe + way * 2 * p.length * sin(alpha)
    end
  end

  return saltus.system {
    name = "rimless_wheel",
    q = { { "theta", case.x0[1] } },
    v = { { "w", case.x0[2] } },
    discrete = { { "toe", 0 }, { "double_support", 0 } },
    derivatives = function(ctx, dot)
      dot.theta = walking(ctx) and ctx.w or 0
      dot.w = walking(ctx) and sin(ctx.theta) * p.gravity / p.length or 0
    end,
    events = {
      { name = "backward", when = walking, direction = "falling", unrestricted_update = footfall(-1),
        witness = function(ctx) return ctx.theta - p.slope + alpha end },
      { name = "forward", when = walking, direction = "falling", unrestricted_update = footfall(1),
        witness = function(ctx) return p.slope + alpha - ctx.theta end },
    },
  }, { "theta", "w" }
end

-- Solves a x = b (b a list) by elimination with pivoting.
local function solve(a, b)
  local n, rows = #b, {}
  for i = 1, n do
    rows[i] = { table.unpack(a[i]) }
    rows[i][n + 1] = b[i]
  end
  for k = 1, n do
    local pivot = k
    for i = k + 1, n do
      if math.abs(rows[i][k]) > math.abs(rows[pivot][k]) then pivot = i end
    end
    rows[k], rows[pivot] = rows[pivot], rows[k]
    for i = k + 1, n do
      local factor = rows[i][k] / rows[k][k]
      for j = k, n + 1 do rows[i][j] = rows[i][j] - factor * rows[k][j] end
    end
  end
  local x = {}
  for i = n, 1, -1 do
    local sum = rows[i][n + 1]
    for j = i + 1, n do sum = sum - rows[i][j] * x[j] end
    x[i] = sum / rows[i][i]
  end
  return x
end

-- Velocities after the swing foot struck: v - M^-1 J' (J M^-1 J')^-1 J v, the last two of four.
local function strike(m, mh, l, a, b, st, sw, vst, vsw)
  local leg = m * a + m * l + mh * l
  local M = {
    { 2 * m + mh, 0, leg * cos(st), -m * b * cos(sw) },
    { 0, 2 * m + mh, -leg * sin(st), m * b * sin(sw) },
    { leg * cos(st), -leg * sin(st), m * a * a + (m + mh) * l * l, -m * l * b * cos(sw - st) },
    { -m * b * cos(sw), m * b * sin(sw), -m * l * b * cos(sw - st), m * b * b },
  }
  local J = { { 1, 0, l * cos(st), -l * cos(sw) }, { 0, 1, -l * sin(st), l * sin(sw) } }
  local v = { 0, 0, vst, vsw }
  local columns = { solve(M, J[1]), solve(M, J[2]) } -- M^-1 J'
  local function dot(x, y) return x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] end
  local S = { { dot(J[1], columns[1]), dot(J[1], columns[2]) }, { dot(J[2], columns[1]), dot(J[2], columns[2]) } }
  local impulse = solve(S, { dot(J[1], v), dot(J[2], v) })
  for i = 1, 4 do v[i] = v[i] - columns[1][i] * impulse[1] - columns[2][i] * impulse[2] end
  return v[3], v[4]
end

local function compass_gait(saltus, case, seen)
  local p = case.parameters
  local l, b, m, mh, g = p.length_leg, p.center_of_mass_leg, p.mass_leg, p.mass_hip, p.gravity
  local a = l - b

  return saltus.system {
    name = "compass_gait",
    q = { { "stance", case.x0[1] }, { "swing", case.x0[2] } },
    v = { { "stance_rate", case.x0[3] }, { "swing_rate", case.x0[4] } },
    discrete = { { "toe", 0 } },
    abstract = { { "left_is_stance", true } },
    derivatives = function(ctx, dot)
      local st, sw, vst, vsw = ctx.stance, ctx.swing, ctx.stance_rate, ctx.swing_rate
      local coupling = -m * l * b * cos(sw - st)
      local bias1 = -m * l * b * vsw * vsw * sin(st - sw) - (mh * l + m * (a + l)) * g * sin(st)
      local bias2 = m * l * b * vst * vst * sin(st - sw) + m * b * g * sin(sw)
      local m11, m22 = mh * l * l + m * (l * l + a * a), m * b * b
      local det = m11 * m22 - coupling * coupling
      dot.stance, dot.swing = vst, vsw
      dot.stance_rate = (-bias1 * m22 + coupling * bias2) / det
      dot.swing_rate = (-m11 * bias2 + coupling * bias1) / det
    end,
    events = { {
      name = "footfall", direction = "falling",
      witness = function(ctx) return math.max(2 * p.slope - ctx.stance - ctx.swing, ctx.swing - ctx.stance) end,
      unrestricted_update = function(ctx, next)
        local st, sw = ctx.stance, ctx.swing
        local vst, vsw = strike(m, mh, l, a, b, st, sw, ctx.stance_rate, ctx.swing_rate)
        local toe = ctx.toe - 2 * l * sin((sw - st) / 2)
        seen[#seen + 1] = { t = ctx.time, xc = { st, sw, ctx.stance_rate, ctx.swing_rate }, toe = toe }
        next.stance, next.swing, next.stance_rate, next.swing_rate, next.toe = sw, st, vsw, vst, toe
        next.left_is_stance = not ctx.left_is_stance
      end,
    } },
  }, { "stance", "swing", "stance_rate", "swing_rate" }
end

local function recorded_footfalls(steps)
  local list = {}
  for i = 1, #steps - 1 do
    if steps[i].xd[1] ~= steps[i + 1].xd[1] then
      list[#list + 1] = { t = steps[i].t, xc = steps[i].xc, toe = steps[i + 1].xd[1] }
    end
  end
  return list
end

local function far(what, expected, got, tolerance)
  if math.abs(expected - got) > tolerance then
    return ("%s: expected %.12g, got %.12g (within %.3g)"):format(what, expected, got, tolerance)
  end
end

-- Within the tolerance, or at least as near to the truth (a run of ours at 1e-11) as what is recorded: a footfall
-- that comes late by the recording's window grows from step to step.
local function off(what, expected, got, truth, tolerance)
  local wrong = far(what, expected, got, tolerance)
  return wrong and not (truth and math.abs(got - truth) <= math.abs(expected - truth)) and wrong or nil
end

-- Before the step with the first footfall, steps are as recorded.
local function steps_before(case, steps, first)
  for i, want in ipairs(case.steps) do
    if (case.steps[i + 1] or want).t >= first.t - 0.05 then return nil end
    local have = steps[i]
    if not have then return ("step %d is missing"):format(i) end
    local wrong = far(("time of step %d"):format(i), want.t, have.t, 1e-7)
    for k, x in ipairs(want.xc) do
      wrong = wrong or far(("state %d of step %d"):format(k, i), x, have.xc[k], 1e-6)
    end
    if wrong then return wrong end
  end
end

function walkers.is(case) return case.model_text ~= nil and case.x0 ~= nil and case.parameters ~= nil end

-- A run of the case: footfalls, steps, the simulator, the state by a list, and its status. `change` holds options.
local function walk(saltus, case, make, change)
  local run = { seen = {}, steps = {} }
  local system, names = make(saltus, case, run.seen)
  local options = replay.options(case.settings)
  for name, value in pairs(change or {}) do options[name] = value end
  run.sim = saltus.simulator(system, options)
  function run.state(ctx)
    local values = {}
    for i, name in ipairs(names) do values[i] = ctx[name] end
    return values
  end
  run.sim.monitor = function(ctx) run.steps[#run.steps + 1] = { t = ctx.time, xc = run.state(ctx) } end
  run.status = run.sim:advance_to(case.advance_to + 0.0)
  return run
end

-- Each footfall's time is off by its own step, and by those of all before it.
local function footfalls_differ(wanted, seen, truth, T, fastest)
  if #wanted ~= #seen then return ("footfalls: expected %d, got %d"):format(#wanted, #seen) end
  for n, want in ipairs(wanted) do
    local have, exact = seen[n], truth[n] or { xc = {} }
    local wrong = off(("time of footfall %d"):format(n), want.t, have.t, exact.t, n * T)
      or far(("toe after footfall %d"):format(n), want.toe, have.toe, 1e-6 + 2 * n * T)
    for k, x in ipairs(want.xc) do
      wrong = wrong or off(("state %d at footfall %d"):format(k, n), x, have.xc[k], exact.xc[k], n * T * fastest)
    end
    if wrong then return wrong end
  end
end

local tight = { integrator = "runge_kutta5", fixed_step = false, accuracy = 1e-11, context_accuracy = 1e-11 }

-- The window, and the scheme's own error: 10 x accuracy, with fixed steps how far footfalls are from the truth.
local function tolerance(case, run, truth)
  local window, own = isolated.window_of(case.settings), 10 * isolated.accuracy_of(case)
  if isolated.is_fixed(case) then
    own = 0
    for n, fall in ipairs(truth.seen) do
      if run.seen[n] then own = math.max(own, math.abs(run.seen[n].t - fall.t)) end
    end
  end
  return (window or case.settings.integrator.max_step_size) + own + 1e-9
end

-- Answers what was wrong, or nil and the footfalls seen; third: why the case must wait.
function walkers.judge(saltus, case)
  local make = case.parameters.number_of_spokes and rimless_wheel or case.parameters.mass_hip and compass_gait
  if not make then return nil, nil, "no walker with these parameters is known" end
  local run, truth = walk(saltus, case, make), walk(saltus, case, make, tight)
  if run.status.reason ~= "reached_boundary_time" then return "status " .. run.status.reason end

  local T = tolerance(case, run, truth)
  local fastest = math.max(1, 2 * case.parameters.gravity) -- a bound on |x'|
  local wanted = recorded_footfalls(case.steps)
  local wrong = footfalls_differ(wanted, run.seen, truth.seen, T, fastest)
  local last, x, exact = case.steps[#case.steps], run.state(run.sim.context), truth.state(truth.sim.context)
  for k, value in ipairs(last.xc) do
    wrong = wrong or off(("state %d at the end"):format(k), value, x[k], exact[k], (#wanted + 1) * T * fastest)
  end
  if wrong then return wrong, run.seen end
  if make == rimless_wheel and (run.sim.context.double_support == 1) ~= (last.xa == "True") then
    return "double support at the end: expected " .. last.xa, run.seen
  end
  return wanted[1] and steps_before(case, run.steps, wanted[1]), run.seen
end

return walkers
