-- A small scenario with the collector run to the end at every allocation: whatever the binding forgets to anchor
-- is gone when it is used next. Prints one line `N passed, N failed`.
local saltus = require "saltus"

-- Counts the collections: each one finalizes a sentinel and leaves another.
local collections = 0
local function sentinel()
  setmetatable({}, { __gc = function()
    collections = collections + 1
    sentinel()
  end })
end
sentinel()

local function scenario(always)
  local seen = {}
  local ball = saltus.system {
    name = "ball", q = { { "height", 1 } }, v = { { "speed", 0 } }, abstract = { list = { 1, { 2 } } },
    discrete = { { "mode", "falling", values = { "falling", "resting" } }, { "draw", 0 } },
    outputs = { energy = function(ctx) return 9.81 * ctx.height + ctx.speed ^ 2 / 2 end },
    derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, ctx.mode == "falling" and -9.81 or 0 end,
    events = {
      { name = "touch", witness = function(ctx) return ctx.height end, direction = "falling",
        when = function(ctx) return ctx.mode == "falling" end,
        unrestricted_update = function(ctx, next)
          next.height, next.speed = 0, -0.8 * ctx.speed
          next.list = { #ctx.list + 1, { ctx.speed } }
        end,
        on_zeno = function(_, next) next.mode, next.height, next.speed = "resting", 0, 0 end },
      { name = "tick", every = 0.25, discrete_update = function(_, next) next.draw = next.random() end },
      { name = "show", every = 0.5, publish = function(ctx) seen[#seen + 1] = ctx.energy + ctx.draw end },
    },
  }
  if always then
    collectgarbage("incremental", 0, 100, 100) -- a step is a whole cycle
    collectgarbage("setpause", 0) -- and the next one is due at the next allocation
    collectgarbage()
  end
  local sim = saltus.simulator(ball, { seed = 3 })
  local log = saltus.log(sim, { "height", "energy", every = 0.25 })
  sim.monitor = function(ctx) seen[#seen + 1] = ctx.height end
  sim:advance_to(1.5)
  if always then
    collectgarbage("setpause", 200)
    collectgarbage("incremental", 0, 100, 13)
  end
  seen[#seen + 1] = sim.context.height
  for _, h in ipairs(log.height) do seen[#seen + 1] = h end
  return table.concat(seen, " ")
end

local calm = scenario(false)
local before = collections
local stressed = scenario(true)
local good = calm == stressed and collections - before > 100
print(("%d collections, %s"):format(collections - before, calm == stressed and "the same run" or "another run"))
print(good and "1 passed, 0 failed" or "0 passed, 1 failed")
os.exit(good)
