-- Mirrors lua/saltus/output/animation/film.lua: what a film shows is what the run was.
local saltus = require "saltus"
local film = require "saltus.output.animation.film"
local animation = require "saltus.output.animation"

local function taken(scenario, changes)
  local run = scenario:prepare(changes or {})
  local film_of_run = animation.film(scenario, run, "a.html")
  return film_of_run, film_of_run:advance_to(run.stop), run
end

-- A dot at the height of a tooth that rises by 1 a second and falls to 0 at each multiple of `period`.
local function saw(period, duration)
  local tooth = saltus.system { name = "tooth", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end,
    events = { { name = "fall", every = period, offset = period,
      unrestricted_update = function(_, next) next.x = 0 end } },
    draw = function(ctx, pen) pen:circle(0, ctx.x, 1) end }
  return saltus.scenario { system = tooth, duration = duration, log = false }
end

local function jumps(frames)
  local out = {}
  for i = 2, #frames do
    if frames[i].time == frames[i - 1].time then
      out[#out + 1] = { frames[i].time, frames[i - 1].commands[1][2], frames[i].commands[1][2] }
    end
  end
  return out
end

describe("a film", function()
  it("has 60 frames a second from the start to the stop, and both sides of each jump", function()
    local shown = taken(saw(0.31, 1))
    assert.equal(61 + 2 * 3, #shown.frames)
    assert.equal(0, shown.frames[1].time)
    assert.equal(1, shown.frames[#shown.frames].time)
    for i, jump in ipairs(jumps(shown.frames)) do
      assert.near(0.31 * i, jump[1], 1e-12)
      assert.near(0.31, jump[2], 1e-9)
      assert.equal(0, jump[3])
    end
    assert.equal(3, #jumps(shown.frames))
  end)

  it("shows the state of its time between jumps, to the run's accuracy", function()
    for _, frame in ipairs((taken(saw(10, 2))).frames) do
      assert.near(frame.time, frame.commands[1][2], 1e-9)
    end
  end)

  it("leaves the run as it is without a film, to the bit", function()
    for _, path in ipairs { "02-bouncing-ball", "07-compass-gait", "13-quadrotor" } do
      local scenario = dofile(("examples/%s.lua"):format(path))
      local _, status, run = taken(scenario)
      local plain = scenario:run()
      assert.equal(plain.sim:hash(), run.sim:hash())
      assert.equal(tostring(plain.status), tostring(status))
      assert.equal(#plain.log.time, #run.log.time)
      assert.equal(#plain.log.events, #run.log.events)
    end
  end)

  it("has the first footfall of the compass gait twice at its time, from both sides", function()
    local shown, _, run = taken(dofile "examples/07-compass-gait.lua")
    local at, sides = run.log:times("footfall")[1], {}
    for _, frame in ipairs(shown.frames) do
      if frame.time == at then sides[#sides + 1] = frame.commands end
    end
    assert.near(0.4172273, at, 1e-5)
    assert.equal(2, #sides)
    assert.not_same(sides[1], sides[2])
  end)

  it("shows no jumps where more than four lie between two frames", function()
    assert.equal(0, #jumps((taken(saw(0.001, 1))).frames))
  end)

  it("ends with the state after an update that terminates", function()
    local bomb = saltus.system { name = "bomb", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end,
      events = { { name = "bang", witness = function(ctx) return ctx.x - 0.5 end,
        unrestricted_update = function(_, next)
          next.x = 9
          return saltus.terminate "bang"
        end } },
      draw = function(ctx, pen) pen:circle(0, ctx.x, 1) end }
    local shown, status = taken(saltus.scenario { system = bomb, duration = 1 })
    assert.equal("reached_termination", status.reason)
    assert.equal(9, shown.frames[#shown.frames].commands[1][2])
    assert.near(0.5, shown.frames[#shown.frames - 1].commands[1][2], 1e-9)
    assert.equal(status.time, shown.frames[#shown.frames].time)
  end)

  it("of a run that goes on from a saved point begins there", function()
    local scenario = saw(0.31, 1)
    local first = scenario:prepare {}
    first.sim:advance_to(0.5)
    local run = scenario:prepare {}
    run.sim:load(first.sim:save())
    local shown = animation.film(scenario, run, "a.html")
    shown:advance_to(run.stop)
    assert.equal(0.5, shown.frames[1].time)
    assert.near(0.19, shown.frames[1].commands[1][2], 1e-9)
    assert.equal(1, shown.frames[#shown.frames].time)
  end)

  it("of no duration is one frame", function()
    assert.equal(1, #(taken(saw(1, 1), { duration = 0 })).frames)
  end)

  it("plays in real time from 1 to 60 s, and otherwise in ten seconds", function()
    assert.equal(1, film.speed_of(1))
    assert.equal(1, film.speed_of(60))
    assert.equal(72, film.speed_of(720))
    assert.near(1e-7, film.speed_of(1e-6), 1e-15)
    assert.equal(601, #(taken(saw(1e9, 720))).frames)
  end)
end)
