-- The reference's witnesses: signs over a step, isolation by plain bisection of the step's length, and the surface on
-- which a witness rests after its event.
local timing = require "conformance.reference_timing"

local reference_witnesses = {}

local pieces = 32 -- each isolated step is looked at in so many pieces

-- The isolation window, nil without isolation; second result: whether the integrator's accuracy had to serve.
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
  for _, made in ipairs(ref.witnesses) do made.level, made.firings, made.sinking, made.longest = nil, {}, 0, nil end
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
local function rearm(ref, made, w)
  if not made.level then return end
  local side = made.side == "falling" and 1 or -1
  -- Back through zero: no crossing of its own, which it is where nothing is re-armed.
  if made.level * side < 0 and w * side > 0 and made.event.direction == "crosses_zero" then ref.applied[5] = true end
  if w * side > 0 or w * side < made.level * side then made.level = nil end
end

-- Accumulation, with isolation: three shrinking intervals below 100 windows. Without: settled at steps, three in a row
-- from below the surface, or four at the end of a run that shrank, in six steps before the last.
local function accumulates(ref, made)
  local list = made.firings
  local n = #list
  local c, b, a = list[n].t - (n > 1 and list[n - 1].t or 0 / 0), n > 2 and list[n - 1].t - list[n - 2].t or 0 / 0,
    n > 3 and list[n - 2].t - list[n - 3].t or 0 / 0
  local function grew(x, before) return not (x <= (1 + 1e-9) * before) end
  if grew(c, b) then made.longest = c end
  if ref.window then return a > b and b > c and c < 100 * ref.window, b, c end
  local sinks = made.level and made.level ~= 0 and made.event.kind ~= "none" and made.event.kind ~= "publish"
  made.sinking = sinks and (made.sinking or 0) + 1 or 0
  local settled = a == a and c < made.longest and not grew(b, a) and n > 4 and list[n - 1].step - list[n - 4].step <= 6
  return settled or made.sinking >= 3, b, c
end

local function fire(ref, made, way, t)
  ref.fired[made], made.side = true, way
  if made.level and made.level ~= 0 then ref.applied[5] = true end
  table.insert(made.firings, { t = t, step = ref.counters.steps })
  local found, b, c = accumulates(ref, made)
  if found then
    ref.applied[5] = true
    error({ message = "accumulation", time = t, limit = c < b and t + c * c / (b - c) or t + c }, 0)
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

-- Between a and b, by thirds, where w of the one is least, or greatest (side -1).
local function least(ref, step, i, side, a, b)
  local function size(t) return values_at(ref, t, step.at(t))[i] * side end
  for _ = 1, 60 do
    local c, d = a + (b - a) / 3, b - (b - a) / 3
    if size(c) < size(d) then b = d else a = c end
  end
  return a + (b - a) / 2
end

-- The times at which a step is looked at: its pieces, where between them a witness comes nearest to its level, and ever
-- nearer to the start, where it may have been left on its surface.
local function times_of(ref, step)
  local times, list = {}, {}
  for piece = 0, pieces do
    local t = piece == pieces and step.t1 or step.t0 + (step.t1 - step.t0) * piece / pieces
    times[piece], list[piece] = t, piece == pieces and values_at(ref, t, step.x1) or values_at(ref, t, step.at(t))
  end
  local looks = table.move(times, 1, pieces, 1, {})
  for i, made in ipairs(ref.witnesses) do
    for piece = 1, pieces - 1 do
      local side = list[piece][i] > (made.level or 0) and 1 or -1
      local before, at, after = list[piece - 1][i] * side, list[piece][i] * side, list[piece + 1][i] * side
      if at < before and at <= after then
        looks[#looks + 1] = least(ref, step, i, side, times[piece - 1], times[piece + 1])
      end
    end
    for k = 6, made.level and 30 or 5 do looks[#looks + 1] = step.t0 + (step.t1 - step.t0) * 2.0 ^ -k end
  end
  table.sort(looks)
  return looks
end

local function cut_isolated(ref, step)
  local ta, wa = step.t0, step.w0
  local crossings = {}
  for _, tb in ipairs(times_of(ref, step)) do
    local wb = values_at(ref, tb, tb == step.t1 and step.x1 or step.at(tb))
    local any
    for i, made in ipairs(ref.witnesses) do any = triggers(made, wa[i], wb[i]) or any end
    if any then
      local at, w = bisect(ref, step, ta, tb, wa)
      ref.crossing = ref.crossing or step.t0
      if ref.borrowed then ref.applied[3] = true end
      local ends = step.end_is_pinned and step.t1 - at <= ref.window
      if ends and step.t1 == step.event then ref.on_edge = true end -- with a sample: rounding decides which is first
      if not ends and not timing.near(at, step.t1) then
        step.t1, step.x1 = at, step.at(at)
      end
      for i, made in ipairs(ref.witnesses) do
        local way = triggers(made, wa[i], w[i])
        if way then crossings[#crossings + 1] = { made = made, way = way } end
      end
      break
    end
    for i, made in ipairs(ref.witnesses) do rearm(ref, made, wb[i]) end
    ta, wa = tb, wb
  end
  return crossings
end

-- Off its surface to the near side, and not above it at the end: there and back within the step.
local function thrown_up(ref, step, i, made, w1)
  if not made.level or step.w0[i] ~= made.level then return nil end
  local side, dt = made.side == "falling" and 1 or -1, 1e-4 * (step.t1 - step.t0)
  if (w1 - made.level) * side > 0 then return nil end
  local beside = values_at(ref, step.t0 + dt, step.at(step.t0 + dt))[i]
  return (beside - made.level) * side > 0 and made.side or nil
end

local function at_the_end(ref, step)
  local w1, crossings = values_at(ref, step.t1, step.x1), {}
  for i, made in ipairs(ref.witnesses) do
    local way = triggers(made, step.w0[i], w1[i]) or thrown_up(ref, step, i, made, w1[i])
    if way then crossings[#crossings + 1] = { made = made, way = way } else rearm(ref, made, w1[i]) end
    ref.on_edge = ref.on_edge or math.abs(w1[i] - (made.level or 0)) <= 1e-13
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
