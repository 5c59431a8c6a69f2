-- Ruling 5: bouncing balls against their own law. A ball is two states (height, speed), xc1' = xc2, xc2' = -g, and an
-- unrestricted witness event `xc1 - floor` that sets xc2 to -e * xc2.
local compare = require "conformance.compare"
local replay = require "conformance.drake_replay"

local balls = {}

local first_order = { explicit_euler = true, semi_explicit_euler = true, implicit_euler = true, radau1 = true,
  velocity_implicit_euler = true }

local function number_in(text, pattern) return tonumber((text:gsub("[%s()]", ""):match(pattern))) end

local function bounce_of(part)
  for _, event in ipairs(part.events or {}) do
    local is_guard = event.trigger == "witness" and event.kind == "unrestricted"
    local floor = is_guard and number_in(event.expr, "^xc1%-(-?[%d.e-]+)$")
    local keeps = floor and event.update and event.update.xc2 and number_in(event.update.xc2, "^-([%d.e-]+)%*xc2$")
    if keeps and event.direction ~= "none" and event.direction ~= "negative_then_non_negative" then
      return event, floor, keeps
    end
  end
end

-- The ball in a case, with its bounces up to its limit; `rests` when the run goes past the limit.
function balls.find(case)
  local recorded = case.settings and case.settings.integrator
  if #case.model.subsystems ~= 1 or recorded and first_order[recorded.scheme] then return nil end
  local part = case.model.subsystems[1]
  local xc = part.xc
  if not xc or #xc.init ~= 2 or xc.ode[1] ~= "xc2" then return nil end
  local gravity = tonumber(xc.ode[2])
  local event, floor, keeps = bounce_of(part)
  if not event or not gravity or gravity >= 0 or keeps >= 1 or xc.init[1] <= floor then return nil end

  local g, height, speed = -gravity, xc.init[1] - floor, xc.init[2] + 0.0
  local start = case.settings and case.settings.start_time or 0.0
  local impact = math.sqrt(speed * speed + 2 * g * height)
  local ball = { sys = part.name, event = event.id, floor = floor, g = g, keeps = keeps, impact = impact, start = start,
    first = start + (speed + impact) / g, height = xc.init[1], speed = speed }
  ball.limit = ball.first + 2 * impact * keeps / (g * (1 - keeps))
  ball.stop = start
  for _, op in ipairs(case.run) do ball.stop = op.op == "advance_to" and math.max(ball.stop, op.t) or ball.stop end
  ball.rests = ball.limit < ball.stop
  return ball
end

-- The time of bounce n and the speed with which it arrives.
local function bounce(ball, n)
  local e = ball.keeps
  return ball.first + 2 * ball.impact * e / ball.g * (1 - e ^ (n - 1)) / (1 - e), ball.impact * e ^ (n - 1)
end

-- Height and speed at t, before the limit.
local function flight(ball, t)
  if t < ball.first then
    local s = t - ball.start
    return ball.height + ball.speed * s - ball.g * s * s / 2, ball.speed - ball.g * s
  end
  local n = 1
  while bounce(ball, n + 1) <= t do n = n + 1 end
  local at, arriving = bounce(ball, n)
  local s, up = t - at, ball.keeps * arriving
  return ball.floor + up * s - ball.g * s * s / 2, up - ball.g * s
end

local function bounces_of(ops, ball)
  local list = {}
  for _, op in ipairs(ops) do
    for _, entry in ipairs(op.log) do
      if entry.event == ball.event then list[#list + 1] = entry end
    end
  end
  return list
end

-- Never below -(window, or without isolation the maximum step) x impact speed.
local function height_holds(got, ball, depth)
  local lowest = ball.floor - depth * ball.impact * 1.01 - 1e-12
  for _, step in ipairs(got.steps) do
    local height = step.state[ball.sys].xc[1]
    if height < lowest then
      return ("the ball is at height %.9g at %.9g, below %.9g"):format(height, step.t, lowest)
    end
  end
end

local function as_analytic(got, ball, window)
  local seen = bounces_of(got.ops, ball)
  for n, entry in ipairs(seen) do
    local expected = bounce(ball, n)
    if math.abs(entry.t - expected) > 10 * window + 1e-9 then
      return compare.differ(("bounce %d (within %.3g)"):format(n, 10 * window + 1e-9), expected, entry.t)
    end
  end
  local n = 1
  while bounce(ball, n) < ball.stop - 10 * window - 1e-9 and bounce(ball, n + 1) - bounce(ball, n) > 150 * window do
    if not seen[n] then return ("bounce %d at %.9g is missing"):format(n, bounce(ball, n)) end
    n = n + 1
  end
end

-- Without isolation: the recorded bounces are our first ones.
local function as_recorded(case, got, ball)
  local seen = bounces_of(got.ops, ball)
  local close = { kind = "rel", tolerance = 1e-8 }
  for n, want in ipairs(bounces_of(case.run, ball)) do
    local have = seen[n]
    if not have then return ("bounce %d at %.9g is missing"):format(n, want.t) end
    local wrong = compare.entry(want, have, { kind = "abs", tolerance = 1e-9 },
      { element = function() return close end }, ("bounce %d"):format(n))
    if wrong then return wrong end
  end
end

-- The error must name the limit, and the event.
local function names_limit(got, ball, allowance)
  local last = got.ops[#got.ops]
  if not last.error then return "past the limit, without on_zeno: expected a failure that names it" end
  if not last.error:find(ball.event, 1, true) then
    return compare.differ("the event in the failure", ball.event, last.error)
  end
  local named = { last.failure and last.failure.limit }
  for text in last.error:gmatch "%d+%.%d+[%de+-]*" do named[#named + 1] = tonumber(text) end
  for _, limit in ipairs(named) do
    if math.abs(limit - ball.limit) <= allowance then return nil end
  end
  return ("the failure should name the limit %.6f: %s"):format(ball.limit, last.error)
end

-- Built once more with a mode and on_zeno: the ball rests on its floor at the end.
local function comes_to_rest(saltus, case, ball, depth)
  local got = replay.run(saltus, case, { rest = { sys = ball.sys, event = ball.event, floor = ball.floor } })
  local last = got.ops[#got.ops]
  if got.refused or last.error then return "with on_zeno: " .. (got.refused or last.error) end
  if last.status.reason ~= "reached_boundary_time" then return "with on_zeno: " .. last.status.reason end
  local x = last.after.state[ball.sys].xc
  if last.after.t ~= ball.stop then return compare.differ("with on_zeno: t", ball.stop, last.after.t) end
  if math.abs(x[1] - ball.floor) > 1e-12 or x[2] ~= 0 then
    return compare.differ("with on_zeno: the height at the end", ball.floor, x[1])
  end
  local wrong = height_holds(got, ball, depth)
  return wrong and "with on_zeno: " .. wrong
end

local function at_the_end(got, ball, window)
  local last = got.ops[#got.ops]
  if last.error then return last.error end
  if last.status.reason ~= "reached_boundary_time" then return last.status.reason end
  local height, speed = flight(ball, ball.stop)
  local x = last.after.state[ball.sys].xc
  local allowed = (10 * window + 1e-9) * math.max(1, math.abs(speed), ball.impact)
  if math.abs(x[1] - height) > allowed then return compare.differ("height at the end", height, x[1]) end
  if math.abs(x[2] - speed) > (10 * window + 1e-9) * math.max(1, ball.g) then
    return compare.differ("speed at the end", speed, x[2])
  end
end

-- Answers what was wrong, and the run.
function balls.judge(saltus, case, ball, window)
  local got = replay.run(saltus, case)
  if got.refused then return "the simulator was refused: " .. got.refused, got end
  local max_step = case.settings.integrator and case.settings.integrator.max_step_size or 0.1
  local depth = window or max_step
  local wrong = height_holds(got, ball, depth)
  if not wrong and window then wrong = as_analytic(got, ball, window) end
  if not wrong and not window then wrong = as_recorded(case, got, ball) end
  if not wrong and ball.rests then
    wrong = names_limit(got, ball, window and 1e-3 or 30 * max_step) or comes_to_rest(saltus, case, ball, depth)
  elseif not wrong then
    wrong = at_the_end(got, ball, window)
  end
  return wrong, got
end

return balls
