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

-- Uniform in (0, 1), for run k and a stream.
function counter_random.uniform(seed, k, stream)
  return ((threefry(seed, OF_PARAMETER, k, stream) >> 12) + 0.5) * SCALE
end

local ROUNDS = 6

-- Where number i is in a random order of the numbers from 0 to count - 1; `group`: in which of several orders. It is a
-- Feistel network over a power of 4, again while its number is too large, so no list is made of any order.
function counter_random.place(seed, count, group, stream, i)
  local half = 2
  while 1 << 2 * half < count do half = half + 1 end
  local mask = (1 << half) - 1
  repeat
    local left, right = i >> half, i & mask
    for round = 1, ROUNDS do
      left, right = right, left ~ threefry(seed, OF_ORDER, (group << 3 | round) << half | right, stream) & mask
    end
    i = left << half | right
  until i < count
  return i
end

return counter_random
