-- A flow that an update turns back through the surface that it has just crossed: the return is a crossing like any
-- other (src/engine/witness.c, turned). So a sliding mode is told, whichever way it is written.
local saltus = require "saltus"

-- x' = drift + u, where u is to be -1 above `at` and 1 below.
local function bang(how, handler, o)
  local function w(ctx) return ctx.x - o.at end
  local function set(u) return function(ctx, next) next.u = u or -ctx.u end end
  local events
  if how == "one event" then
    events = { { name = "cross", witness = w, [handler] = set() } }
  else
    events = { { name = "down", direction = "falling", witness = w, [handler] = set(1) },
      { name = "up", direction = "rising", witness = w, [handler] = set(-1) } }
  end
  events[#events + 1] = o.watched and { name = "watch", witness = w, publish = function() end } or nil
  return saltus.system { name = "bang", z = { { "x", o.at + o.start } }, discrete = { { "u", -1 } },
    derivatives = function(ctx, dot) dot.x = o.drift + ctx.u end, events = events }
end

local function fails(system, options, who)
  local sim = saltus.simulator(system, options)
  assert.error_matches(function() sim:advance_to(sim.context.time + 5) end, "^" .. who .. ": it chatters: ")
  assert.equal("events_accumulate", sim.failure.reason)
  return sim
end

describe("chattering", function()
  for _, how in ipairs { "one event", "two directed events" } do
    for _, handler in ipairs { "discrete_update", "unrestricted_update" } do
      it(("is told of %s with a %s"):format(how, handler), function()
        for _, start in ipairs { 1, 0.3, 1 / 3 } do
          for _, at in ipairs { 0, 0.1, 1 } do
            for _, drift in ipairs { 0, 0.3, -0.25 } do
              local o = { start = start, at = at, drift = drift, watched = start == 0.3 }
              for _, options in ipairs { {}, { integrator = "dormand_prince8", start_time = 1e4 },
                { event_state = "retake" } } do
                local sim = fails(bang(how, handler, o), options, "%a+ of bang")
                assert.near(at, sim.context.x, 1e-12)
                assert.near(start / (1 - drift), sim.context.time - (options.start_time or 0), 1e-9)
              end
            end
          end
        end
      end)
    end
  end

  it("names the surface and the cures", function()
    local sim = saltus.simulator(bang("one event", "discrete_update", { start = 1, at = 0, drift = 0.3 }))
    local _, told = pcall(sim.advance_to, sim, 5)
    for _, word in ipairs { "^cross of bang: ", "hysteresis %(`relay` with lower < upper%)",
      "a mode that holds the state", "characteristic_time", "%(in cross of bang at t = 1.42857143%)" } do
      assert.matches(word, told)
    end
  end)

  it("is told of blocks in a diagram, also of those that start on the border", function()
    local blocks = saltus.blocks
    for _, start in ipairs { 0, 1, -1, 0.3 } do
      for _, block in ipairs { blocks.comparator { above = -0.7, below = 1.3 },
        blocks.relay { lower = 0, upper = 0, on = -0.7, off = 1.3 },
        blocks.relay { lower = 0, upper = 0, on = -0.7, off = 1.3, initial = true } } do
        local d = saltus.diagram "loop"
        d:add(blocks.integral { initial = start }, "x")
        d:add(block, "u")
        d:connect("x", "u")
        d:connect("u", "x")
        local sim = fails(d, {}, "%a+ of u")
        assert.near(0, sim.context.x.output, 1e-12)
      end
    end
  end)

  it("is none where hysteresis keeps the switchings apart", function()
    local d = saltus.diagram "loop"
    d:add(saltus.blocks.integral { initial = 1 }, "x")
    d:add(saltus.blocks.relay { lower = -1e-3, upper = 1e-3, on = -0.7, off = 1.3 }, "u")
    d:connect("x", "u")
    d:connect("u", "x")
    local sim = saltus.simulator(d)
    sim:advance_to(5)
    assert.is_true(math.abs(sim.context.x.output) <= 1e-3 + 1e-12)
  end)
end)

describe("a bounce", function()
  it("is one crossing of its default direction, though its handler writes the speed alone", function()
    local n = 0
    local sim = saltus.simulator(saltus.system { name = "ball", q = { { "h", 1 } }, v = { "w" },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -9.81 end,
      events = { { name = "hit", witness = function(ctx) return ctx.h end,
        unrestricted_update = function(ctx, next) n, next.w = n + 1, -ctx.w end } } })
    sim:advance_to(5)
    assert.equal(math.floor((5 / math.sqrt(2 / 9.81) + 1) / 2), n)
  end)
end)

describe("a message of firings without end", function()
  it("begins with its subject", function()
    local ball = saltus.system { name = "ball", q = { { "h", 1 } }, v = { "w" },
      derivatives = function(ctx, dot) dot.h, dot.w = ctx.w, -9.81 end,
      events = { { name = "hit", witness = function(ctx) return ctx.h end, direction = "falling",
        unrestricted_update = function(ctx, next) next.h, next.w = 0, -0.5 * ctx.w end } } }
    assert.error_matches(function() saltus.simulator(ball):advance_to(3) end,
      "^hit of ball: its firings accumulate; .* characteristic_time ")
    local eager = saltus.system { name = "s", events = {
      { name = "eager", next_time = function(ctx) return ctx.time end, publish = function() end } } }
    assert.error_matches(function() saltus.simulator(eager):advance_to(1) end,
      "^eager of s: time does not advance: .* a later one")
  end)
end)
