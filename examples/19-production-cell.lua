-- Three machines make parts, and they break. The one fitter repairs them one after another. The work on a part flows
-- only while its machine works, so a breakdown needs no code in the story that makes parts: the part waits until the
-- machine is repaired. Time is in minutes.
--
--   saltus run examples/19-production-cell.lua --seed 3 --set lathe.mean_life=60 --animate cell.html
--   saltus sweep examples/19-production-cell.lua --runs 100 --duration 10080
local saltus = require "saltus"

local function working(ctx) return ctx.state == "working" and 1 or 0 end

local machine = saltus.system {
  name     = "machine",
  z        = { { "progress", 0, unit = "min", doc = "of the work on this part" }, { "worked", 0, unit = "min" } },
  discrete = { { "state", "working", values = { "working", "broken", "in_repair" } }, "parts",
    { "task", 10, unit = "min", doc = "work that this part needs" } },
  params   = { { "mean_life", 300, unit = "min" }, { "mean_repair", 30, unit = "min" } },
  derivatives = function(ctx, dot) dot.progress, dot.worked = working(ctx), working(ctx) end,
}

local NAMES = { "mill", "lathe", "press" }
local cell = saltus.diagram "cell"
for _, name in ipairs(NAMES) do cell:add(machine, name) end

local function produce(s, run, name)
  local own = run[name]
  while true do
    own.task, own.progress = math.max(1, s:normal(10, 2)), 0
    s:wait_until(("%s.progress >= %s.task"):format(name, name))
    own.parts = own.parts + 1
  end
end

local function break_down(s, run, name, fitter)
  local own = run[name]
  while true do
    s:wait(s:exponential(own.mean_life))
    own.state = "broken"
    local hands = fitter:take()
    own.state = "in_repair"
    s:wait(s:exponential(own.mean_repair))
    hands:release()
    own.state = "working"
  end
end

local function draw(ctx, pen)
  for i, name in ipairs(NAMES) do
    local own, x = ctx[name], 3 * i - 6
    local colour = ({ working = 3, broken = 2, in_repair = 5 })[own.state]
    pen:box(x, 1, 2, 2, { colour = colour, fill = true })
    pen:box(x, 2.4, 2, 0.3, { fill = false })
    pen:box(x - 1 + own.progress / own.task, 2.4, 2 * own.progress / own.task, 0.3, { colour = 1, fill = true })
    pen:text(x, 3, ("%s: %d"):format(name, own.parts), { align = "centre" })
    if own.state == "in_repair" then pen:circle(x, -0.5, 0.3, { colour = 5, fill = true }) end
  end
end

return saltus.scenario { system = cell, duration = 480, seed = 1, draw = draw,
  view = { left = -5, right = 5, bottom = -1, top = 3.5 },
  story = function(s)
    local fitter = s:resource(1)
    for _, name in ipairs(NAMES) do
      s:spawn(name, produce, name)
      s:spawn("fate of the " .. name, break_down, name, fitter)
    end
  end,
  measure = { "mill.parts", "lathe.parts", "press.parts", "mill.worked" },
  log = { "mill.progress", "lathe.progress", "press.progress", "mill.state", "lathe.state", "press.state" } }
