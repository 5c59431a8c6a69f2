-- Statistics of a queue: means weighted with time, and waiting times.
local queue_statistics = {}

local Mean = {}
Mean.__index = Mean

-- A number that changes at instants, and its mean over time.
function queue_statistics.mean(time, value)
  return setmetatable({ start = time, time = time, value = value, largest = value, area = 0 }, Mean)
end

function Mean:set(time, value)
  self.area = self.area + self.value * (time - self.time)
  self.time, self.value = time, value
  if value > self.largest then self.largest = value end
end

-- Over the time since the start; the value itself if none has passed.
function Mean:at(time)
  local span = time - self.start
  if not (span > 0) then return self.value end
  return (self.area + self.value * (time - self.time)) / span
end

local Waits = {}
Waits.__index = Waits

-- How long requests waited until they were served.
function queue_statistics.waits() return setmetatable({ served = 0, left = 0, sum = 0, longest = 0 }, Waits) end

function Waits:add(seconds)
  self.served, self.sum = self.served + 1, self.sum + seconds
  if seconds > self.longest then self.longest = seconds end
end

function Waits:mean() return self.served > 0 and self.sum / self.served or 0 end

return queue_statistics
