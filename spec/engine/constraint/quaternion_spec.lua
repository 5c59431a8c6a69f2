-- q' = N(q) v that is no plain integral, and projection by the part itself: a free rigid body, its
-- attitude a unit quaternion, its velocity that of its own axes.
local saltus = require "saltus"

local inertia = { 1, 2, 3 }

-- e = (cos, axis sin) of half the angle; e' = e w / 2, w seen from the body.
local function turn(e, w, into)
  into[1] = (-e[2] * w[1] - e[3] * w[2] - e[4] * w[3]) / 2
  into[2] = (e[1] * w[1] + e[3] * w[3] - e[4] * w[2]) / 2
  into[3] = (e[1] * w[2] - e[2] * w[3] + e[4] * w[1]) / 2
  into[4] = (e[1] * w[3] + e[2] * w[2] - e[3] * w[1]) / 2
end

local function norm(e) return math.sqrt(e[1] ^ 2 + e[2] ^ 2 + e[3] ^ 2 + e[4] ^ 2) end

local function energy(w, i) return (i[1] * w[1] ^ 2 + i[2] * w[2] ^ 2 + i[3] * w[3] ^ 2) / 2 end

local function normalize(_, next)
  local size = norm(next.e)
  for k = 1, 4 do next.e[k] = next.e[k] / size end
end

-- Euler's equations.
local function body(more, of)
  local i = of or inertia
  local def = { name = "body", q = { { "e", { 1, 0, 0, 0 } } }, v = { { "w", { 0.01, 2, 0.01 } } },
    derivatives = function(ctx, dot)
      local w, dw = ctx.w, dot.w
      turn(ctx.e, w, dot.e)
      dw[1] = (i[2] - i[3]) * w[2] * w[3] / i[1]
      dw[2] = (i[3] - i[1]) * w[3] * w[1] / i[2]
      dw[3] = (i[1] - i[2]) * w[1] * w[2] / i[3]
    end,
    velocity_map = function(ctx, v, qdot) turn(ctx.e, v.w, qdot.e) end,
    project = normalize }
  for k, v in pairs(more or {}) do def[k] = v or nil end
  return saltus.system(def)
end

-- The angular momentum as seen from outside: e (I w) e*.
local function momentum(ctx)
  local e, l = ctx.e, { inertia[1] * ctx.w[1], inertia[2] * ctx.w[2], inertia[3] * ctx.w[3] }
  local function cross(a, b)
    return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
  end
  local u = { e[2], e[3], e[4] }
  local t = cross(u, l)
  local s = cross(u, t)
  local out = {}
  for k = 1, 3 do out[k] = l[k] + 2 * (e[1] * t[k] + s[k]) end
  return out
end

describe("a body that turns about its middle axis", function()
  it("preserves the norm of its quaternion to rounding, its energy and momentum to the accuracy", function()
    local sim = saltus.simulator(body(), { accuracy = 1e-9 })
    local first, before = energy(sim.context.w, inertia), momentum(sim.context)
    for _, ctx in sim:steps(50) do assert.near(1, norm(ctx.e), 4e-16) end
    assert.near(first, energy(sim.context.w, inertia), 1e-6)
    local after = momentum(sim.context)
    for k = 1, 3 do assert.near(before[k], after[k], 1e-5) end
  end)

  it("moves the same when derivatives leave q to velocity_map", function()
    local i = inertia
    local both, one = saltus.simulator(body()), saltus.simulator(body { derivatives = function(ctx, dot)
      local w = ctx.w
      dot.w = { (i[2] - i[3]) * w[2] * w[3] / i[1], (i[3] - i[1]) * w[3] * w[1] / i[2],
        (i[1] - i[2]) * w[1] * w[2] / i[3] }
    end })
    both:advance_to(3)
    one:advance_to(3)
    assert.equal(both:hash(), one:hash())
  end)

  it("preserves its energy to rounding where its projection does so", function()
    local whole = energy({ 0.01, 2, 0.01 }, inertia)
    local sim = saltus.simulator(body { project = function(ctx, next)
      normalize(ctx, next)
      local share = math.sqrt(whole / energy(next.w, inertia))
      for k = 1, 3 do next.w[k] = share * next.w[k] end
    end }, { accuracy = 1e-5 })
    for _, ctx in sim:steps(50) do
      assert.near(1, norm(ctx.e), 4e-16)
      assert.near(whole, energy(ctx.w, inertia), 1e-14)
    end
  end)

  it("with the norm as a constraint preserves it too", function()
    local sim = saltus.simulator(body { project = false,
      constraints = function(ctx, residual)
        local e = ctx.e
        residual[1] = e[1] ^ 2 + e[2] ^ 2 + e[3] ^ 2 + e[4] ^ 2 - 1
      end }, { accuracy = 1e-6 })
    for _, ctx in sim:steps(20) do assert.near(1, norm(ctx.e), 1e-10) end
  end)

  -- The rate of the norm is 2 e . N(e) w: zero whatever w is, but for rounding.
  local function norm_constraint(ctx, residual)
    local e = ctx.e
    residual[1] = e[1] ^ 2 + e[2] ^ 2 + e[3] ^ 2 + e[4] ^ 2 - 1
  end
  local function rate_by_sums(ctx, rate)
    local e, de = ctx.e, {}
    turn(e, ctx.w, de)
    rate[1] = 2 * (e[1] * de[1] + e[2] * de[2] + e[3] * de[3] + e[4] * de[4])
  end

  for how, rates in pairs { ["by differences"] = false, ["as a sum that cancels"] = rate_by_sums,
    ["as zero"] = function(_, rate) rate[1] = 0 end } do
    for _, accuracy in ipairs { 1e-3, 1e-6, 1e-9 } do
      it(("accepts each velocity that an update writes: the rate of the norm is zero, %s, at %g"):format(how, accuracy),
        function()
          for _, factor in ipairs { 1e-3, 0.3, 1.5, 2, 100 } do
            local sim = saltus.simulator(body { project = false, constraints = norm_constraint,
              constraint_rates = rates, events = { { name = "kick", every = 2, offset = 2,
                unrestricted_update = function(ctx, next)
                  local w = ctx.w
                  next.w = { w[1] * factor, w[2] * factor, w[3] * factor }
                end } } }, { accuracy = accuracy })
            sim:advance_to(2)
            local w = sim.context.w
            local before = { w[1], w[2], w[3] }
            sim:advance_pending_events()
            for k = 1, 3 do assert.near(before[k] * factor, sim.context.w[k], 1e-12 * factor) end
            sim:advance_to(2.5)
            assert.near(1, norm(sim.context.e), 10 * accuracy)
          end
        end)
    end
  end

  it("loses only the part of a velocity that another constraint forbids", function()
    local sim = saltus.simulator(body { project = false,
      constraints = function(ctx, residual)
        norm_constraint(ctx, residual)
        residual[2] = ctx.e[2]
      end,
      derivatives = function(ctx, dot)
        turn(ctx.e, ctx.w, dot.e)
        dot.w = { 0, 0, 0 }
      end,
      v = { { "w", { 0, 1, 0 }, error = "absolute" } }, events = { { name = "kick", every = 1, offset = 1,
        unrestricted_update = function(_, next) next.w = { 3, 2, 0.5 } end } } })
    sim:advance_to(1)
    local e = sim.context.e
    local normal = { e[1], -e[4], e[3] } -- of the rate of e[2], times 2
    local size = math.sqrt(e[1] ^ 2 + e[4] ^ 2 + e[3] ^ 2)
    local off = (3 * normal[1] + 2 * normal[2] + 0.5 * normal[3]) / size
    sim:advance_pending_events()
    for k, value in ipairs { 3, 2, 0.5 } do
      assert.near(value - off * normal[k] / size, sim.context.w[k], 1e-6)
    end
  end)
end)

-- With two equal moments w3 stays, w1 and w2 turn at the rate (i1 - i3) / i1 w3, and the attitude is
-- exp(t L / (2 i1)) e0 exp(t (1 - i3 / i1) w3 z / 2), with L seen from outside, from e0 = 1.
describe("a symmetric top", function()
  local i = { 2, 2, 1 }
  local w = { 0.3, 0, 4 }

  local function product(a, b)
    return { a[1] * b[1] - a[2] * b[2] - a[3] * b[3] - a[4] * b[4],
      a[1] * b[2] + a[2] * b[1] + a[3] * b[4] - a[4] * b[3], a[1] * b[3] - a[2] * b[4] + a[3] * b[1] + a[4] * b[2],
      a[1] * b[4] + a[2] * b[3] - a[3] * b[2] + a[4] * b[1] }
  end

  local function rotation(x, y, z) -- by the vector (x, y, z)
    local angle = math.sqrt(x ^ 2 + y ^ 2 + z ^ 2)
    local s = math.sin(angle / 2) / angle
    return { math.cos(angle / 2), s * x, s * y, s * z }
  end

  local function exact(t)
    local outer = rotation(t * w[1], t * i[2] * w[2] / i[1], t * i[3] * w[3] / i[1])
    return product(outer, rotation(0, 0, t * (1 - i[3] / i[1]) * w[3]))
  end

  for _, method in ipairs { "tsitouras5", "dormand_prince8", "radau5" } do
    it("is where the closed form has it, with " .. method, function()
      local sim = saltus.simulator(body({}, i):with { w = w }, { integrator = method, accuracy = 1e-9 })
      for t, ctx in sim:steps(10, 2.5) do
        local e = exact(t)
        for k = 1, 4 do assert.near(e[k], ctx.e[k], 1e-6) end
      end
    end)
  end
end)

describe("errors of q with a velocity_map", function()
  local function steps(weight, accuracy, more)
    local def = { v = { { "w", { 0.5, 2, 0.7 }, weight = weight } } }
    for k, v in pairs(more or {}) do def[k] = v end
    local sim = saltus.simulator(body(def), { integrator = "runge_kutta3", accuracy = accuracy,
      error_weights = "absolute" })
    sim:advance_to(5)
    return sim.stats.steps, sim.context.e
  end

  it("are weighed as those of v: N W N+", function()
    local heavy, e1 = steps(10, 1e-4)
    local tight, e2 = steps(1, 1e-5)
    assert.equal(tight, heavy)
    for k = 1, 4 do assert.near(e1[k], e2[k], 1e-12) end
  end)

  it("do not count where v's do not", function()
    assert.is_true(steps(0, 1e-6) < 40)
    assert.is_true(steps(1, 1e-6) > 200)
  end)

  it("take no weights of their own", function()
    local ok, message = pcall(body, { q = { { "e", { 1, 0, 0, 0 }, weight = 2 } } })
    assert.is_false(ok)
    assert.is_truthy(message:find('the errors of q are weighed as those of v; give the weight of "e" there', 1, true),
      message)
  end)
end)

describe("errors of a projection are reported", function()
  local function fails(text, more)
    local ok, message = pcall(function() saltus.simulator(body(more)):advance_to(1) end)
    assert.is_false(ok)
    assert.is_truthy(tostring(message):find(text, 1, true), tostring(message))
  end

  it("by name", function()
    fails('unknown name "f" in project of "body"; known: e, w', { project = function(_, next) next.f = 1 end })
    fails('project of "body" sets e[3] to nil', { project = function(_, next) next.e = { 1, 2 } end })
    fails('project of "body" sets "e[2]" to "a"', { project = function(_, next) next.e[2] = "a" end })
    fails("writes ctx.w", { project = function(ctx) ctx.w = 3 end })
    local calls = 0
    fails('velocity_map of "body" leaves "e[1]" unset; set qdot.e[1] in every branch', { velocity_map = function()
      calls = calls + 1
    end })
    assert.is_true(calls > 0)
    fails('unknown name "u" in', { velocity_map = function(_, v) return v.u end })
  end)
end)
