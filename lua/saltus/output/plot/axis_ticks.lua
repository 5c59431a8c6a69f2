-- Ticks of axes: round numbers and their texts, on linear and logarithmic scales, and the unit of a time axis.
local axis_ticks = {}

local LONGEST = 5e307 -- step

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

local function multiples(low, high, step)
  local out, largest = {}, math.max(math.abs(low), math.abs(high))
  for k = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) do
    out[#out + 1] = { value = k * step, text = text(k * step, step, largest) }
  end
  return out
end

-- About `count` round numbers in [low, high], as values and texts; at least three of them if count is.
function axis_ticks.of(low, high, count)
  low, high = low + 0.0, high + 0.0 -- the difference of two integers may not fit into one
  local rough = math.min((high - low) / math.max(count, 1), LONGEST)
  local out = multiples(low, high, round_step(rough))
  if count > 2 and #out < 3 then out = multiples(low, high, round_step(rough / 2)) end
  return out
end

-- The multiples of powers of ten to show: of few decades also 2 and 5, of many only some powers.
local function factors_of(decades)
  return decades < 1.5 and { 1, 2, 3, 5 } or decades < 3 and { 1, 2, 5 } or { 1 }
end

-- About `count` ticks of a logarithmic axis; round numbers if it spans less than half a decade.
function axis_ticks.log(low, high, count)
  local first, last = math.log(low, 10), math.log(high, 10)
  if last - first < 0.5 then return axis_ticks.of(low, high, count) end
  local out, every = {}, math.max(1, math.ceil((last - first) / math.max(count, 1)))
  for power = math.floor(first), math.ceil(last) do
    for _, factor in ipairs(power % every == 0 and factors_of(last - first) or {}) do
      local value = factor * 10.0 ^ power
      if value >= low * (1 - 1e-9) and value <= high * (1 + 1e-9) and value < math.huge then
        out[#out + 1] = { value = value, text = (("%g"):format(value):gsub("e%+?(%-?)0*", "e%1")) }
      end
    end
  end
  return out
end

-- The ticks of the largest count whose texts fit side by side: make(count) returns ticks, length(text) how much room
-- a text takes, with its distance to the next.
function axis_ticks.fitting(make, count, room, length)
  for n = count, 2, -1 do
    local ticks, widest = make(n), 0
    for _, tick in ipairs(ticks) do widest = math.max(widest, length(tick.text)) end
    if #ticks * widest <= room then return ticks end
  end
  return make(1)
end

local time_units = { { "s", 1 }, { "ms", 1e3 }, { "us", 1e6 }, { "ns", 1e9 }, { "ps", 1e12 }, { "fs", 1e15 } }

-- The unit in which the times up to `largest`, in seconds, are numbers of a good size, and how many make a second.
function axis_ticks.time_unit(largest)
  for _, unit in ipairs(time_units) do
    if largest == 0 or largest * unit[2] >= 0.1 then return unit[1], unit[2] end
  end
  return "s", 1
end

return axis_ticks
