-- A block on the bench: fed by sources, run, looked at.
local saltus = require "saltus"
local blocks = saltus.blocks

local bench = { fails = require "spec.support.fails" }

-- Steps are short beside what sources do: only so are all crossings of what the integrator does not see found.
local function settings(options)
  local out = { max_step = 0.1 }
  for key, value in pairs(options or {}) do out[key] = value end
  return out
end

-- The block, fed by `sources` (blocks, by input name), advanced to `stop`; returns simulator and context.
function bench.fed(block, sources, stop, options)
  local d = saltus.diagram "bench"
  d:add(block, "block")
  for name, source in pairs(sources) do
    d:add(source, "to_" .. name)
    d:connect("to_" .. name, "block." .. name)
  end
  local sim = saltus.simulator(d, settings(options))
  if stop then sim:advance_to(stop) end
  return sim, sim.context.block
end

function bench.of_time(f) return blocks.function_of_time { f = f } end
function bench.time() return bench.of_time(function(t) return t end) end

-- The integral of the block's output from 0 to `stop`: steps that ran over a corner would show in it.
function bench.integrated(block, sources, stop, options)
  local d = saltus.diagram "bench"
  d:add(block, "block")
  d:add(blocks.integral {}, "area")
  d:connect("block", "area")
  for name, source in pairs(sources) do
    d:add(source, "to_" .. name)
    d:connect("to_" .. name, "block." .. name)
  end
  local sim = saltus.simulator(d, settings(options))
  local log = saltus.log(sim, {})
  sim:advance_to(stop)
  return sim.context.area.output, log, sim
end

return bench
