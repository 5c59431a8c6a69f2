-- Axes of plots: ranges, round numbers as ticks, and signals in coordinates.
local axis_ticks = {}

-- 1, 2 or 5 times a power of ten, not below `rough`.
local function round_step(rough)
  local power = 10.0 ^ math.floor(math.log(rough, 10))
  for _, m in ipairs { 1, 2, 5, 10 } do
    if m * power >= rough * (1 - 1e-9) then return m * power end
  end
  return 10 * power
end

local function decimals(step)
  return math.max(0, -math.floor(math.log(step, 10) + 1e-9))
end

-- A text with enough digits to differ from its neighbours.
local function exponential(value, step, largest)
  local digits = math.max(4, math.floor(math.log(largest, 10)) - math.floor(math.log(step, 10) + 1e-9) + 1)
  return (("%%.%dg"):format(digits):format(value):gsub("e%+0*", "e"):gsub("e%-0*", "e-"))
end

local function text(value, step, largest)
  if largest >= 1e6 or largest < 1e-4 then return exponential(value, step, largest) end
  local out = ("%%.%df"):format(decimals(step)):format(value)
  return out:find "^%-0%.?0*$" and out:sub(2) or out
end

-- About `count` round numbers in [low, high], as values and texts.
function axis_ticks.of(low, high, count)
  local step = round_step((high - low) / math.max(count, 1))
  local out = {}
  local largest = math.max(math.abs(low), math.abs(high))
  for k = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) do
    out[#out + 1] = { value = k * step, text = text(k * step, step, largest) }
  end
  return out
end

-- The range of the horizontal axis: that of the time, or of the signal that replaces it with a margin.
function axis_ticks.span(picture, time)
  local x = picture.x
  if x then
    local room = 0.03 * (x.high - x.low)
    if room == 0 then room = 0.5 end
    return x.low - room, x.high + room
  end
  local t0, t1 = time[1], time[#time]
  if t1 == t0 then return t0 - 0.5, t1 + 0.5 end
  return t0, t1
end

-- The vertical axis of a group of signals: its range with a margin, and its ticks.
function axis_ticks.axis(group, count)
  if group.modes then
    local out = {}
    for i, mode in ipairs(group.modes) do out[i] = { value = i, text = mode } end
    return 0.7, #group.modes + 0.3, out
  end
  local low, high = group.low, group.high
  local room = (high - low) * 0.05
  if room <= 1e-12 * math.max(math.abs(low), math.abs(high)) then room = low == 0 and 1 or math.abs(low) * 0.5 end
  low, high = low - room, high + room
  return low, high, axis_ticks.of(low, high, count)
end

-- The length of the longest text at the vertical axes, so that all panels are aligned. `heights`: those of the panels;
-- `spacing`: the height for each tick.
function axis_ticks.widest(groups, heights, spacing, length)
  local longest = 0
  for i, group in ipairs(groups) do
    local _, _, ticks = axis_ticks.axis(group, heights[i] // spacing)
    for _, tick in ipairs(ticks) do longest = math.max(longest, length(tick.text)) end
  end
  return longest
end

-- The runs of finite points of a signal, { xs =, ys = } in coordinates: sx(time), sy(value).
function axis_ticks.runs(time, values, sx, sy)
  local runs, run = {}, nil
  for i = 1, #time do
    local v = values[i]
    if v > -math.huge and v < math.huge and time[i] == time[i] then
      if not run then
        run = { xs = {}, ys = {} }
        runs[#runs + 1] = run
      end
      run.xs[#run.xs + 1], run.ys[#run.ys + 1] = sx(time[i]), sy(v)
    else
      run = nil
    end
  end
  return runs
end

return axis_ticks
