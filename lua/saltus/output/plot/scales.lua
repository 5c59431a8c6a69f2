-- Scales of a picture: which share of an axis is left of a value, or below it. A scale is { low, high, share =
-- function(value), ticks = function(count) }; share returns nil for a value that a logarithmic axis does not have.
local axis_ticks = require "saltus.output.plot.axis_ticks"

local scales = {}

local LEAST, MOST = 0x1p-1074, 0x1.fffffffffffffp+1023 -- the numbers next to zero and infinity

-- In halves, because the difference of the lowest and the highest number is no number.
local function linear(low, high)
  local half_low, half_span = low / 2, high / 2 - low / 2
  return { low = low, high = high, share = function(value) return (value / 2 - half_low) / half_span end,
    ticks = function(count) return axis_ticks.of(low, high, count) end }
end

local function logarithmic(low, high)
  local first, span = math.log(low), math.log(high) - math.log(low)
  return { low = low, high = high, ticks = function(count) return axis_ticks.log(low, high, count) end,
    share = function(value) return value > 0 and (math.log(value) - first) / span or nil end }
end

-- With a margin of a fraction of the range; a single value is in the middle.
local function with_margin(low, high, margin, is_log)
  if is_log then
    local factor = high > low and math.exp((math.log(high) - math.log(low)) * margin) or 2
    return logarithmic(math.max(low / factor, LEAST), math.min(high * factor, MOST))
  end
  local room = (high / 2 - low / 2) * 2 * margin
  if room <= 1e-12 * math.max(math.abs(low), math.abs(high)) then room = low == 0 and 1 or math.abs(low) * 0.5 end
  return linear(math.max(low - room, -MOST), math.min(high + room, MOST))
end

-- The horizontal scale: of the time, in the picture's unit, or of the signal that replaces it.
function scales.horizontal(picture)
  local x, k = picture.x, picture.time_factor
  if x then return with_margin(x.low, x.high, 0.03, picture.log_x) end
  local t0, t1 = picture.start * k, picture.stop * k
  local inner = t1 == t0 and linear(t0 - 0.5, t1 + 0.5) or picture.log_x and logarithmic(t0, t1) or linear(t0, t1)
  return { low = inner.low, high = inner.high, ticks = inner.ticks,
    share = function(time) return inner.share(time * k) end }
end

-- The vertical scale of a group of signals.
function scales.vertical(group)
  if not group.modes then return with_margin(group.low, group.high, 0.05, group.log) end
  local scale = linear(0.7, #group.modes + 0.3)
  function scale.ticks()
    local out = {}
    for i, mode in ipairs(group.modes) do out[i] = { value = i, text = mode } end
    return out
  end
  return scale
end

-- The length of the longest text at the vertical axes, so that all panels are aligned. count_of(i): ticks of panel i.
function scales.widest(groups, count_of, length)
  local longest = 0
  for i, group in ipairs(groups) do
    for _, tick in ipairs(group.bands and {} or scales.vertical(group).ticks(count_of(i))) do
      longest = math.max(longest, length(tick.text))
    end
  end
  return longest
end

-- The parts of a signal without gaps, { xs =, ys = }: x(time) and y(value) return coordinates, nil outside of a scale.
function scales.runs(time, values, x, y)
  local runs, run = {}, nil
  for i = 1, #time do
    local v, t = values[i], time[i]
    local finite = v > -math.huge and v < math.huge and t > -math.huge and t < math.huge
    local px, py = finite and x(t), finite and y(v)
    if px and py then
      if not run then
        run = { xs = {}, ys = {} }
        runs[#runs + 1] = run
      end
      run.xs[#run.xs + 1], run.ys[#run.ys + 1] = px, py
    else
      run = nil
    end
  end
  return runs
end

return scales
