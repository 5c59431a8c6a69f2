-- Random numbers as a function of the sweep's seed and the run's number: no run depends on another run, on the order of
-- the runs, or on the process that makes it. Threefry 2x64-20, as for next.random.
local core = require "saltus.core"

local counter_random = {}

local threefry = core.threefry

-- The second word of the key: what the numbers are for.
local OF_RUN, OF_PARAMETER, OF_ORDER = 0, 1, 2

-- The seed of run k: a whole number of at most 53 bits, which a double, JSON and a spreadsheet can hold.
function counter_random.seed(seed, k) return threefry(seed, OF_RUN, k, 0) >> 11 end

-- A number for a name, by FNV-1a: the numbers of a parameter do not change when another parameter is added.
function counter_random.stream(name)
  local h = 0xcbf29ce484222325
  for i = 1, #name do h = (h ~ name:byte(i)) * 0x100000001b3 end
  return h
end

local SCALE = 2.0 ^ -52

local function unit(bits) return ((bits >> 12) + 0.5) * SCALE end

-- Uniform in (0, 1), for run k and a stream.
function counter_random.uniform(seed, k, stream)
  return ((threefry(seed, OF_PARAMETER, k, stream) >> 12) + 0.5) * SCALE
end

-- A random order of 1 to count, after Fisher and Yates; `group`: which of several orders.
function counter_random.order(seed, count, group, stream)
  local list = {}
  for i = 1, count do list[i] = i end
  for i = count, 2, -1 do
    local j = 1 + math.floor(unit(threefry(seed, OF_ORDER, group * count + i, stream)) * i)
    list[i], list[j] = list[j], list[i]
  end
  return list
end

return counter_random
