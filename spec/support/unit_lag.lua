-- x' = -x(t - 1), x = 1 before: a delay equation whose solution is known.
local saltus = require "saltus"

local unit_lag = {}

-- The sum of (-1)^k (t - (k - 1))^k / k! while k - 1 <= t.
function unit_lag.exact(t)
  local sum, factorial = 1, 1
  for k = 1, math.floor(t) + 1 do
    factorial = factorial * k
    sum = sum + (-1) ^ k * (t - (k - 1)) ^ k / factorial
  end
  return sum
end

function unit_lag.system(read)
  return saltus.system { name = "lag", z = { { "x", 1 } }, past = { x = 1 },
    derivatives = function(ctx, dot) dot.x = -read(ctx) end }
end

function unit_lag.by_lag(ctx) return ctx.past.x(1) end
function unit_lag.by_time(ctx) return ctx.past.x:at(ctx.time - 1) end

return unit_lag
