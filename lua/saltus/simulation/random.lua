-- next.random: uniform random numbers, and three other distributions computed from them. The engine computes them with
-- the logarithm and the cosine of saltus.math, so that every machine draws the same numbers.
local core = require "saltus.core"
local names = require "saltus.util.names"

local random = {}

local function demand(met, who, call, rule, ...)
  if met then return end
  local got = {}
  for i = 1, select("#", ...) do got[i] = names.show((select(i, ...))) end
  names.fail("%s:%s: %s%s", who, call, rule, #got > 0 and ", got " .. table.concat(got, ", ") or "")
end

local finite = require("saltus.util.numerals").is_finite

local function whole(x) return type(x) == "number" and math.tointeger(x) end

-- uniform() returns the next number of a stream, greater than 0 and less than 1; `who`: what messages call it.
function random.new(uniform, who)
  local stream = {}
  who = who or "next.random"
  function stream:normal(mean, sd)
    demand(self == stream, who, "normal(mean, sd)", "write it with a colon")
    mean, sd = mean == nil and 0 or mean, sd == nil and 1 or sd
    demand(finite(mean) and finite(sd) and sd >= 0, who, "normal(mean, sd)", "it takes two numbers, sd >= 0", mean, sd)
    local first = uniform()
    return core.normal(mean, sd, first, uniform())
  end
  function stream:exponential(mean)
    demand(self == stream, who, "exponential(mean)", "write it with a colon")
    mean = mean == nil and 1 or mean
    demand(finite(mean) and mean > 0, who, "exponential(mean)", "mean must be a number greater than 0", mean)
    return core.exponential(mean, uniform())
  end
  function stream:integer(a, b)
    demand(self == stream, who, "integer(a, b)", "write it with a colon")
    local low, high = whole(a), whole(b)
    demand(low and high and low <= high, who, "integer(a, b)", "it takes two whole numbers a <= b", a, b)
    demand(high + 0.0 - low < 2 ^ 53, who, "integer(a, b)", "the range may hold at most 2^53 numbers", a, b)
    return core.whole(low, high, uniform())
  end
  local methods = names.sorted_keys(stream)
  return setmetatable(stream, {
    __call = function(_, extra)
      if extra ~= nil then
        names.fail "next.random() takes nothing and is in (0, 1); for whole numbers write next.random:integer(1, 6)"
      end
      return uniform()
    end,
    __index = function(_, key)
      names.fail("%s; next.random() is uniform in (0, 1)", names.unknown("method %s of next.random", key, methods))
    end,
  })
end

return random
