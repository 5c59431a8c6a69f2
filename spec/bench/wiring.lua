-- Parts written in Lua, as a diagram: ns per call of a closure, us per part to build. Usage: wiring.lua COUNT
local saltus = require "saltus"
local count = tonumber(arg[1]) or 1000

local gain = saltus.system { name = "gain", inputs = { "u" }, params = { gain = 1 },
  outputs = { y = function(ctx) return ctx.gain * ctx.u end } }
local lag = saltus.system { name = "lag", z = { "x" }, inputs = { "u" },
  derivatives = function(ctx, dot) dot.x = ctx.u - ctx.x end }

-- `first` is the part that closes the ring, the others are alike.
local function ring(first, other, port)
  local d = saltus.diagram "ring"
  d:add(first, "p1")
  for i = 2, count do d:add(other, "p" .. i) end
  d:connect("p1.x", "p2.u")
  for i = 2, count do d:connect(("p%d.%s"):format(i, port), ("p%d.u"):format(i % count + 1)) end
  return saltus.simulator(d)
end

local function ns_per_call(sim)
  sim:initialize()
  local rounds, best = math.max(1, 200000 // count), math.huge
  sim:time_rhs(40) -- shims are settled
  for _ = 1, 5 do best = math.min(best, sim:time_rhs(rounds) / rounds / count) end
  return best * 1e9
end

local began = os.clock()
local chain = ring(lag, gain, "y")
print(("build_us %.4g"):format((os.clock() - began) / count * 1e6))
print(("chain_ns %.4g"):format(ns_per_call(chain)))
print(("ring_ns %.4g"):format(ns_per_call(ring(lag, lag, "x"))))
