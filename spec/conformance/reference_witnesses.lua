-- The reference's witnesses: signs over a step, isolation by plain bisection of the step's length, and the surface on
-- which a witness rests after its event.
local timing = require "conformance.reference_timing"

local reference_witnesses = {}

local pieces = 32 -- each isolated step is looked at in so many pieces

-- The isolation window, nil without isolation; second answer: whether the integrator's accuracy had to serve.
function reference_witnesses.window(settings, integrator)
  local accuracy = settings.context_accuracy
  if integrator.fixed then
    return accuracy and math.max(1e-14, 0.01 * accuracy * integrator.max) or nil, false
  end
  return math.max(1e-14, 0.01 * (accuracy or integrator.accuracy)), not accuracy
end

function reference_witnesses.prepare(ref, settings)
  ref.window, ref.borrowed = reference_witnesses.window(settings, ref.integrator)
  ref.witnesses = {}
  for _, made in ipairs(ref.model.events) do
    if made.witness then ref.witnesses[#ref.witnesses + 1] = made end
  end
end

function reference_witnesses.reset(ref)
  for _, made in ipairs(ref.witnesses) do made.level, made.firings = nil, {} end
end

function reference_witnesses.values(ref)
  local values = {}
  for i, made in ipairs(ref.witnesses) do values[i] = made.witness(ref.model:environment(made.part)) end
  return values
end

local function values_at(ref, t, x)
  return ref.model:at(t, x, function() return reference_witnesses.values(ref) end)
end

-- "falling" or "rising" when the witness triggers between w0 and w1, compared with its level.
local function triggers(made, w0, w1)
  local direction, level = made.event.direction, made.level or 0
  w0, w1 = w0 - level, w1 - level
  local falls, rises = w0 > 0 and w1 <= 0, w0 < 0 and w1 >= 0
  if direction == "positive_then_non_positive" then return falls and "falling" or nil end
  if direction == "negative_then_non_negative" then return rises and "rising" or nil end
  return direction == "crosses_zero" and (falls and "falling" or rises and "rising") or nil
end

-- Off the surface once on the near side, or farther than the level on the far one.
local function rearm(made, w)
  if not made.level then return end
  local side = made.side == "falling" and 1 or -1
  if w * side > 0 or w * side < made.level * side then made.level = nil end
end

local function fire(ref, made, way, t)
  ref.fired[made], made.side = true, way
  if made.level and made.level ~= 0 then ref.applied[5] = true end
  local list = made.firings
  list[#list + 1] = t
  local n = #list
  if n < 4 then return end
  local a, b, c = list[n - 2] - list[n - 3], list[n - 1] - list[n - 2], list[n] - list[n - 1]
  if ref.window and a > b and b > c and c < 100 * ref.window then
    ref.applied[5] = true
    error({ message = "accumulation", time = t, limit = t + c * (c / b) / (1 - c / b) }, 0)
  end
end

-- The first time in (a, b] at which one of them has triggered, to the last bit of the step's fraction.
local function bisect(ref, step, a, b, wa)
  local wb
  for _ = 1, 80 do
    local c = a + (b - a) / 2
    if c <= a or c >= b then break end
    local wc, any = values_at(ref, c, step.at(c)), false
    for i, made in ipairs(ref.witnesses) do any = any or triggers(made, wa[i], wc[i]) ~= nil end
    if any then b, wb = c, wc else a = c end
  end
  return b, wb or values_at(ref, b, step.at(b))
end

local function cut_isolated(ref, step)
  local ta, wa = step.t0, step.w0
  local crossings = {}
  for piece = 1, pieces do
    local last = piece == pieces
    local tb = last and step.t1 or step.t0 + (step.t1 - step.t0) * piece / pieces
    local wb = values_at(ref, tb, last and step.x1 or step.at(tb))
    local any
    for i, made in ipairs(ref.witnesses) do any = triggers(made, wa[i], wb[i]) or any end
    if any then
      local at, w = bisect(ref, step, ta, tb, wa)
      ref.crossing = ref.crossing or step.t0
      if ref.borrowed then ref.applied[3] = true end
      if not (step.end_is_pinned and step.t1 - at <= ref.window) and not timing.near(at, step.t1) then
        step.t1, step.x1 = at, step.at(at)
      end
      for i, made in ipairs(ref.witnesses) do
        local way = triggers(made, wa[i], w[i])
        if way then crossings[#crossings + 1] = { made = made, way = way } end
      end
      break
    end
    for i, made in ipairs(ref.witnesses) do rearm(made, wb[i]) end
    ta, wa = tb, wb
  end
  return crossings
end

local function at_the_end(ref, step)
  local w1, crossings = values_at(ref, step.t1, step.x1), {}
  for i, made in ipairs(ref.witnesses) do
    local way = triggers(made, step.w0[i], w1[i])
    if way then crossings[#crossings + 1] = { made = made, way = way } else rearm(made, w1[i]) end
  end
  if #crossings > 1 then ref.applied[2] = true end
  return crossings
end

-- Ends the step at the first crossing (with isolation), and notes what fired.
function reference_witnesses.cut(ref, step)
  ref.fired = {}
  if #ref.witnesses == 0 or step.t1 == step.t0 then return end
  local crossings = (ref.window and cut_isolated or at_the_end)(ref, step)
  for _, crossing in ipairs(crossings) do fire(ref, crossing.made, crossing.way, step.t1) end
end

-- After the updates: what fired rests on its surface when it still lies there, or beyond.
function reference_witnesses.settle(ref)
  local values = reference_witnesses.values(ref)
  for i, made in ipairs(ref.witnesses) do
    if ref.fired[made] then
      local side = made.side == "falling" and 1 or -1
      made.level = values[i] * side <= 0 and values[i] or nil
    end
  end
  ref.fired = {}
end

return reference_witnesses
