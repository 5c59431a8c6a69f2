-- A fight in three phases. The hero's sword takes health from the boss at a rate. The boss telegraphs each blow 0.4 s
-- before it falls, and the hero parries it with the probability `skill`: then the rate rises, otherwise the blow hurts
-- the hero and heals the boss. Below 66 the boss is armoured. Below 33 it strikes no more, but it wins if it lives for
-- another 30 s.
--
--   saltus run examples/22-boss-fight.lua --set skill=0.2 --seed 7
--   saltus sweep examples/22-boss-fight.lua --grid skill=0:1:0.1 --runs 20
local saltus = require "saltus"

local arena = saltus.system {
  name     = "arena",
  z        = { { "boss", 100, doc = "health" } },
  discrete = { { "hero", 100, doc = "health" }, { "rate", 3, unit = "1/s", doc = "of the boss's loss of health" },
    { "phase", 1 }, { "pose", "guard", values = { "guard", "telegraph", "blow" } }, "parries", "wounds" },
  params   = { { "skill", 0.7, doc = "probability of a parry" }, { "pause", 2.5, unit = "s" },
    { "window", 0.4, unit = "s", doc = "from telegraph to blow" } },
  derivatives = function(ctx, dot) dot.boss = -ctx.rate end,
}

local function swing(s, run)
  while true do
    s:wait(run.pause)
    run.pose = "telegraph"
    s:emit "telegraph"
    if s:wait_any { s:event "parry", run.window } == 2 then
      run.pose = "blow"
      s:emit "blow"
    end
    run.pose = "guard"
  end
end

local function fight(s, run)
  while true do
    s:wait_event "telegraph"
    if s:random() < run.skill then
      s:wait(run.window / 2)
      run.rate, run.parries = run.rate + 0.5, run.parries + 1
      s:emit "parry"
    else
      s:wait_event "blow"
      run.hero, run.wounds, run.boss = run.hero - 12, run.wounds + 1, run.boss + 4
    end
  end
end

local function phases(s, run, blows)
  s:wait_until "boss < 66"
  run.phase, run.rate = 2, run.rate / 2
  s:wait_until "boss < 33"
  run.phase = 3
  s:cancel(blows)
  if s:wait_any { "boss <= 0", 30 } == 1 then s:stop "the boss falls" end
  s:stop "the boss wins in rage"
end

local function draw(ctx, pen)
  local function bar(x, health, colour)
    pen:box(x, 5, 4, 0.4, { fill = false })
    pen:box(x - 2 + health / 50, 5, math.max(health, 0) / 25, 0.4, { colour = colour, fill = true })
  end
  local reach = ({ guard = 2.2, telegraph = 2.6, blow = 0.8 })[ctx.pose]
  bar(-3, ctx.hero, 3)
  bar(3, ctx.boss, 2)
  pen:circle(-3, 1, 0.6, { colour = 3, fill = true })
  pen:circle(3, 1.5, 0.9 + 0.2 * ctx.phase, { colour = 2, fill = true })
  pen:line(3, 1.5, reach - 1.5, ctx.pose == "telegraph" and 3.5 or 1.5, { colour = 2, width = 5 })
  pen:text(0, -0.5, ("phase %d, %d parries, %d wounds"):format(ctx.phase, ctx.parries, ctx.wounds),
    { align = "centre" })
end

return saltus.scenario { system = arena, duration = 90, seed = 2, draw = draw,
  view = { left = -6, right = 6, bottom = -1, top = 6 },
  story = function(s)
    local blows = s:spawn("sword", swing)
    s:spawn("hero", fight)
    s:spawn("boss", phases, blows)
    s:wait_until "hero <= 0"
    s:stop "the hero falls"
  end,
  measure = { "boss", "hero", "parries", "wounds" },
  log = { "boss", "hero", "rate", "phase", every = 0.05 } }
