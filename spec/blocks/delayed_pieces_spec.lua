-- Events behind a block with pieces, at a jump that arrives through a delay: they read the block's law at the value
-- after the jump, on whatever piece that is.
local saltus = require "saltus"
local random = require "spec.support.random"
local blocks = saltus.blocks

local SENT, STOP = 1, 4

-- Each adds a delay to the diagram, and returns how long after the start the jump that is sent at SENT arrives.
local delays = {
  delay = function(d)
    d:add(blocks.delay { delay = 2.3 }, "late")
    return SENT + 2.3
  end,
  variable_delay = function(d, start) -- the delay grows from 1.3 by 1 / 3.1 a second, then shrinks
    d:add(blocks.variable_delay { max_delay = 5 }, "late")
    d:add(blocks.time_table { times = { start, start + 3.1, start + 6 }, values = { 1.3, 2.3, 2.1 } }, "lag")
    d:connect("lag", "late.delay")
    return 3.1 + (SENT + 2.3 - 3.1) / (1 + 0.2 / 2.9)
  end,
  transport_delay = function(d, start) -- the jump moves by 0.8 a second until 2.1, then by 1.1
    d:add(blocks.transport_delay { length = 2 }, "late")
    d:add(blocks.time_table { times = { start, start + 2.1 }, values = { 0.8, 1.1 }, between = "stairs" }, "speed")
    d:connect("speed", "late.speed")
    return 2.1 + (2 - 0.8 * (2.1 - SENT)) / 1.1
  end,
}

-- A block and its law.
local laws = {
  saturation = { blocks.saturation { lower = -0.5, upper = 0.3 },
    function(u) return math.max(-0.5, math.min(0.3, u)) end },
  dead_zone = { blocks.dead_zone { lower = -0.5, upper = 0.7 },
    function(u) return u > 0.7 and u - 0.7 or u < -0.5 and u + 0.5 or 0 end },
  lookup_table = { blocks.lookup_table { points = { -1, 0.5, 1, 3 }, values = { -1, 0.5, 0.1, 1.5 } },
    function(u)
      if u < -1 or u > 3 then return u < 0 and -1 or 1.5 end
      return u < 0.5 and u or u < 1 and 0.5 - 0.8 * (u - 0.5) or 0.1 + 0.7 * (u - 1)
    end },
  abs = { blocks.lookup_table { points = { -8, 0, 8 }, values = { 8, 0, 8 } }, math.abs },
  wrap_to = { blocks.wrap_to { low = -1.03, high = 0.97 }, function(u) return (u + 1.03) % 2 - 1.03 end },
}

local function events(level, seen)
  local function note(name) return function(ctx) seen[#seen + 1] = { name, ctx.time, ctx.u } end end
  local function by(ctx) return ctx.u - level end
  return {
    { name = "crosses", witness = by, publish = note "crosses" },
    { name = "rises", direction = "rising", witness = by, publish = note "rises" },
    { name = "falls", direction = "falling", witness = by, publish = note "falls" },
    { name = "above", becomes = function(ctx) return ctx.u > level end, publish = note "above" },
    { name = "below", becomes = function(ctx) return ctx.u < level end, publish = note "below" },
  }
end

-- How much the derivatives of what reads the block see of it.
local flows = {
  reads = function(ctx, dot) dot.x = ctx.u end,
  slow = function(ctx, dot) dot.x = -ctx.x end,
  fast = function(ctx, dot) dot.x = 20 * math.cos(20 * ctx.time) end,
}

local function build(case)
  local d = saltus.diagram "d"
  d:add(blocks.step { time = case.start + SENT, before = case.from, after = case.to }, "sent")
  case.at = case.start + delays[case.delay](d, case.start)
  d:connect("sent", "late.input")
  local output, before, after = "late.output", case.from, case.to
  for k, name in ipairs(case.blocks) do
    d:add(laws[name][1], "block" .. k)
    d:connect(output, "block" .. k .. ".input")
    output, before, after = "block" .. k .. ".output", laws[name][2](before), laws[name][2](after)
  end
  case.before, case.after, case.output, case.seen = before, after, output, {}
  d:add(saltus.system { name = "see", inputs = { "u" }, z = flows[case.flow] and { { "x", 1 } } or nil,
    derivatives = flows[case.flow], events = events(case.level, case.seen) })
  d:connect(output, "see.u")
  return saltus.simulator(d, { integrator = case.method, start_time = case.start })
end

-- Those that have fired since, with how often; each at the arrival, where it reads the value after the jump.
local function fired(case, seen)
  local count = {}
  for _, e in ipairs(seen) do
    if e[2] > case.start then
      count[e[1]] = (count[e[1]] or 0) + 1
      assert.near(case.at, e[2], 1e-12)
      assert.near(case.after, e[3], 1e-12)
    end
  end
  return count
end

local function expected(case)
  if case.before < case.level and case.after > case.level then return { crosses = 1, rises = 1, above = 1 } end
  if case.before > case.level and case.after < case.level then return { crosses = 1, falls = 1, below = 1 } end
  return {}
end

local function told(case)
  return ("%s from %g, %s, %s: %g to %g, level %g"):format(case.delay, case.start, table.concat(case.blocks, " "),
    case.flow, case.from, case.to, case.level)
end

-- A log has nothing but the two values, and both of them where the jump arrives.
local function check_log(case, log)
  local sides, time, y = 0, { table.unpack(log.time) }, { table.unpack(log[case.output]) }
  local function is(i, value) return math.abs(y[i] - value) < 1e-12 end
  for i, t in ipairs(time) do
    local is_near = math.abs(t - case.at) < 1e-9
    local is_old = (is_near or t < case.at) and is(i, case.before)
    assert(is_old or (is_near or t > case.at) and is(i, case.after), told(case))
    local is_jump = is_near and i > 1 and t - time[i - 1] < 1e-12 and is(i - 1, case.before) and is(i, case.after)
    sides = sides + (is_jump and 1 or 0)
  end
  assert.is_true(sides > 0 or case.before == case.after, told(case))
end

local function clear(list)
  for i = #list, 1, -1 do list[i] = nil end
end

describe("a delayed jump behind blocks with pieces", function()
  for name in pairs(delays) do
    it("fires what it crosses, and nothing else: " .. name, function()
      local rng = random.new(7)
      local names = { "saturation", "dead_zone", "lookup_table", "abs", "wrap_to" }
      for k = 1, 60 do
        local case = { delay = name, blocks = { names[k % #names + 1] }, from = rng:integer(-12, 12) / 4 + 1 / 32,
          to = rng:integer(-12, 12) / 4 + 1 / 32, level = rng:integer(-12, 12) / 8 + 0.06,
          flow = rng:pick { "reads", "slow", "fast", "none" }, method = rng:pick { "tsitouras5", "radau5", "auto" },
          start = rng:pick { 0, -3, -3.1, 100 } }
        if rng:chance(0.3) then case.blocks[2] = rng:pick(names) end
        local sim = build(case)
        local log = saltus.log(sim, { case.output })
        sim:advance_to(case.start + STOP)
        assert.same(expected(case), fired(case, case.seen), told(case))
        check_log(case, log)
      end
    end)

    it("does so in a saved run and in a clone: " .. name, function()
      for block in pairs(laws) do
        for _, way in ipairs { 1, -1 } do
          local case = { delay = name, blocks = { block }, from = 0.1 * way, to = -2.2 * way, flow = "reads",
            level = 0.06, start = 0 }
          local whole = build(case)
          local seen = case.seen
          local function run_on(sim, list)
            clear(list)
            sim:advance_to(STOP)
            assert.same(expected(case), fired(case, list), told(case))
            return sim:hash()
          end
          for _, to in ipairs { case.at - 0.3, case.at - 1e-9 } do
            whole:advance_to(to)
            local saved, clone = whole:save(), whole:clone()
            local hash = run_on(clone, seen)
            local loaded = build(case)
            loaded:load(saved)
            assert.same({ whole:hash(), hash }, { loaded:hash(), run_on(loaded, case.seen) })
          end
          whole:advance_to(case.at + 1e-9)
          local again = build(case)
          again:load(whole:save())
          assert.equal(whole:hash(), again:hash())
          whole:advance_to(STOP)
          again:advance_to(STOP)
          assert.equal(whole:hash(), again:hash())
        end
      end
    end)
  end
end)
