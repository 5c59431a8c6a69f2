-- Ready-made blocks, each made and wired by itself, up to a simulator that has started: seconds, us and bytes of Lua
-- a block. Usage: blocks.lua COUNT
local saltus = require "saltus"
local count = tonumber(arg[1]) or 10000
local blocks = saltus.blocks
blocks.gain { gain = 1 } -- loaded

local function chain()
  local d = saltus.diagram "chain"
  d:add(blocks.lag { time_constant = 1 }, "p1")
  for i = 2, count do d:add(blocks.gain { gain = 1.0001 }, "p" .. i) end
  for i = 1, count do d:connect("p" .. i, "p" .. i % count + 1) end
  local sim = saltus.simulator(d)
  sim:initialize()
  return sim
end

collectgarbage()
local bytes, began = collectgarbage "count", os.clock()
local sim = chain()
local seconds = os.clock() - began
collectgarbage()
print(("build_s %.4g"):format(seconds))
print(("build_us %.4g"):format(seconds / count * 1e6))
print(("bytes %.4g"):format((collectgarbage "count" - bytes) * 1024 / #sim.model.parts))
