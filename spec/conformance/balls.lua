-- Ruling 5: bouncing balls against their own law. A ball is two states (height, speed), xc1' = xc2, xc2' = -g, and an
-- unrestricted witness event at the floor that sets xc2 to -e * xc2, however these are written.
local compare = require "conformance.compare"
local expression = require "conformance.expression"
local replay = require "conformance.drake_replay"

local balls = {}

local first_order = { explicit_euler = true, semi_explicit_euler = true, implicit_euler = true, radau1 = true,
  velocity_implicit_euler = true }

-- Places at which the expressions are read, to see what they are: any ball obeys them there.
local places = {}
for i, place in ipairs { { 0.25, 1.5, -2.5 }, { -1.75, -0.5, 3.25 }, { 3.5, 0.125, 0.75 }, { 0, 2.25, 1 } } do
  places[i] = { t = math.abs(place[1]), xc1 = place[2], xc2 = place[3] }
end

local function near(a, b) return math.abs(a - b) <= 1e-13 * math.max(1, math.abs(a), math.abs(b)) end

-- The factors { floor, rise } with which the text is rise * (name - floor); nil when it is nothing of the kind.
local function line_in(text, name)
  local fine, floor, rise = pcall(function()
    local f = expression.compile(text)
    local a, b = { t = 0.5, xc1 = 1, xc2 = 1 }, { t = 0.5, xc1 = 1, xc2 = 1 }
    b[name] = 3
    local rise = (f(b) - f(a)) / 2
    local at_zero = f(a) - rise
    for _, e in ipairs(places) do
      if not near(f(e), at_zero + rise * e[name]) then return nil end
    end
    return rise ~= 0 and -at_zero / rise or at_zero, rise
  end)
  if fine then return floor, rise end
end

-- A guard of the floor: it rises or falls with the height, and is watched on the way down.
local function guards(event, rise)
  local way = rise > 0 and "positive_then_non_positive" or "negative_then_non_negative"
  return event.direction == way or event.direction == "crosses_zero"
end

local function moves_the_ball(event) return event.update and (event.update.xc1 or event.update.xc2) end

local function bounce_of(part)
  local found
  for _, event in ipairs(part.events or {}) do
    if moves_the_ball(event) then
      if found or event.trigger ~= "witness" or event.kind ~= "unrestricted" or event.status then return nil end
      found = event
    end
  end
  if not found or not found.update.xc2 then return nil end
  local floor, rise = line_in(found.expr, "xc1")
  local stands, keeps = line_in(found.update.xc2, "xc2")
  if not rise or rise == 0 or not guards(found, rise) or not near(stands, 0) or keeps >= 0 then return nil end
  local put, moves = line_in(found.update.xc1 or tostring(floor), "xc1")
  if moves ~= 0 or not near(put, floor) then return nil end
  return found, floor, -keeps
end

local function impact_at(case, ball)
  local g, height, speed = ball.g, ball.height - ball.floor, ball.speed
  ball.start = case.settings and case.settings.start_time or 0.0
  ball.impact = math.sqrt(speed * speed + 2 * g * height)
  ball.first = ball.start + (speed + ball.impact) / g
  ball.limit = ball.keeps < 1 and ball.first + 2 * ball.impact * ball.keeps / (g * (1 - ball.keeps)) or math.huge
  ball.stop = ball.start
  for _, op in ipairs(case.run) do ball.stop = op.op == "advance_to" and math.max(ball.stop, op.t) or ball.stop end
  ball.rests = ball.limit < ball.stop
  return ball
end

-- The ball in a case, with its bounces up to its limit; `rests` when the run goes past the limit.
function balls.find(case)
  local recorded = case.settings and case.settings.integrator
  if #case.model.subsystems ~= 1 or recorded and first_order[recorded.scheme] then return nil end
  local part = case.model.subsystems[1]
  local xc = part.xc
  if not xc or #xc.init ~= 2 then return nil end
  local still, one = line_in(xc.ode[1], "xc2")
  local gravity, changes = line_in(xc.ode[2], "xc2")
  local event, floor, keeps = bounce_of(part)
  local flies = still == 0 and one == 1 and changes == 0 and gravity < 0
  if not flies or not event or xc.init[1] <= floor then return nil end
  return impact_at(case, { sys = part.name, event = event.id, floor = floor, g = -gravity, keeps = keeps,
    height = xc.init[1] + 0.0, speed = xc.init[2] + 0.0 })
end

-- The time of bounce n and the speed with which it arrives.
local function bounce(ball, n)
  local e = ball.keeps
  local sum = e == 1 and n - 1 or (1 - e ^ (n - 1)) / (1 - e)
  return ball.first + 2 * ball.impact * e / ball.g * sum, ball.impact * e ^ (n - 1)
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
  local lowest = ball.floor - depth * (ball.impact + ball.g * depth) * 1.01 - 1e-12
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

-- Without isolation bounces settle at intervals of up to (1 + e)/(1 - e) steps, e/(1 - e) such intervals before the
-- limit.
local function in_steps(ball)
  local e = ball.keeps
  return 30 + e * (1 + e) / (1 - e) ^ 2
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
    local allowance = window and 1e-3 or in_steps(ball) * max_step
    wrong = names_limit(got, ball, allowance) or comes_to_rest(saltus, case, ball, depth)
  elseif not wrong then
    wrong = at_the_end(got, ball, window)
  end
  return wrong, got
end

return balls
