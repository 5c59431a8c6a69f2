-- Instants and timers as the design states them: offset + k * period, one instant within 4 ulp.
local reference_timing = {}

function reference_timing.ulp(x)
  x = math.abs(x)
  if x == 0 or x ~= x or x == math.huge then return 2.0 ^ -1074 end
  local exponent = math.floor(math.log(x, 2))
  while 2.0 ^ exponent > x do exponent = exponent - 1 end
  while 2.0 ^ (exponent + 1) <= x do exponent = exponent + 1 end
  return 2.0 ^ math.max(exponent - 52, -1074)
end

-- One instant? `timer` (an event with period and offset) makes the sizes known that its rounding comes from.
function reference_timing.near(a, b, timer)
  if a == b then return true end
  local size = math.max(math.abs(a), math.abs(b))
  if timer then size = math.max(size, math.abs(timer.offset), math.abs(timer.k * timer.period)) end
  return math.abs(a - b) <= 4 * reference_timing.ulp(size)
end

function reference_timing.due(timer) return timer.offset + timer.k * timer.period end

-- The first sample not before now.
function reference_timing.reset(timer, now)
  timer.k = math.max(0, math.ceil((now - timer.offset) / timer.period) - 2)
  while reference_timing.due(timer) < now and not reference_timing.near(reference_timing.due(timer), now, timer) do
    timer.k = timer.k + 1
  end
end

-- Is the timer due at this instant?
function reference_timing.is_due(timer, now)
  local due = reference_timing.due(timer)
  return due <= now or reference_timing.near(due, now, timer)
end

-- The next instant of all timers: its time, nil when there is none. `boundary` and `now` lend their own time to an
-- instant within 4 ulp. Second result: whether different times were joined.
function reference_timing.next(timers, now, boundary)
  local opener
  for _, timer in ipairs(timers) do
    local due = reference_timing.due(timer)
    if not opener or due < reference_timing.due(opener) then opener = timer end
  end
  if not opener then return nil, false end
  local time, joined = reference_timing.due(opener), false
  for _, timer in ipairs(timers) do
    local due = reference_timing.due(timer)
    if due ~= time and reference_timing.near(due, time, timer) then joined = true end
  end
  if time <= now or reference_timing.near(time, now, opener) then return now, joined or time ~= now end
  if reference_timing.near(time, boundary, opener) then return boundary, joined or time ~= boundary end
  return time, joined
end

return reference_timing
