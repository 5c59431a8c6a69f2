-- Point masses that constraints hold together: the multipliers of the index-1 form come from the
-- second derivative of the constraints, G M^-1 G' lambda = G M^-1 F + gamma, a = M^-1 (F - G' lambda).
local saltus = require "saltus"

local mechanisms = {}

local GRAVITY = 9.81
mechanisms.GRAVITY = GRAVITY

-- Solves a x = b in place; small and dense.
local function solve(a, b)
  local n = #b
  for k = 1, n do
    for i = k + 1, n do
      local f = a[i][k] / a[k][k]
      for j = k, n do a[i][j] = a[i][j] - f * a[k][j] end
      b[i] = b[i] - f * b[k]
    end
  end
  for i = n, 1, -1 do
    for j = i + 1, n do b[i] = b[i] - a[i][j] * b[j] end
    b[i] = b[i] / a[i][i]
  end
  return b
end

-- `bonds(x, v)` returns for each constraint its residual, gradient and gamma = v' H v.
local function accelerations(bonds, masses, x, v)
  local n, list = #x, bonds(x, v)
  local force, matrix, right = {}, {}, {}
  for i = 1, n do force[i] = i % 2 == 0 and -GRAVITY or 0 end -- per mass
  for i, a in ipairs(list) do
    matrix[i], right[i] = {}, a.gamma
    for k = 1, n do right[i] = right[i] + a.gradient[k] * force[k] end
    for j, b in ipairs(list) do
      local sum = 0
      for k = 1, n do sum = sum + a.gradient[k] * b.gradient[k] / masses[(k + 1) // 2] end
      matrix[i][j] = sum
    end
  end
  local lambda, out = solve(matrix, right), {}
  for k = 1, n do
    out[k] = force[k]
    for i, a in ipairs(list) do out[k] = out[k] - a.gradient[k] * lambda[i] / masses[(k + 1) // 2] end
  end
  return out
end

local function energy(masses, x, v)
  local sum = 0
  for i, m in ipairs(masses) do
    sum = sum + m * ((v[2 * i - 1] ^ 2 + v[2 * i] ^ 2) / 2 + GRAVITY * x[2 * i])
  end
  return sum
end

-- A rod between two points of the plane, the first of which may be the origin (nil).
function mechanisms.rod(x, v, from, to, length, n)
  local gradient = {}
  for k = 1, n do gradient[k] = 0 end
  local dx, dv = {}, {}
  for k = 1, 2 do
    dx[k] = x[2 * to - 2 + k] - (from and x[2 * from - 2 + k] or 0)
    dv[k] = v[2 * to - 2 + k] - (from and v[2 * from - 2 + k] or 0)
    gradient[2 * to - 2 + k] = dx[k]
    if from then gradient[2 * from - 2 + k] = -dx[k] end
  end
  return { residual = (dx[1] ^ 2 + dx[2] ^ 2 - length ^ 2) / 2, gradient = gradient, gamma = dv[1] ^ 2 + dv[2] ^ 2 }
end

function mechanisms.system(name, masses, x, v, bonds)
  return saltus.system { name = name, q = { { "r", x } }, v = { { "u", v } },
    outputs = { energy = function(ctx) return energy(masses, ctx.r, ctx.u) end },
    derivatives = function(ctx, dot)
      dot.r = ctx.u
      dot.u = accelerations(bonds, masses, ctx.r, ctx.u)
    end,
    constraints = function(ctx, residual)
      for i, bond in ipairs(bonds(ctx.r, ctx.u)) do residual[i] = bond.residual end
    end }
end

-- One mass on a rod of 1 m, starting level: the same, with its one multiplier written out.
function mechanisms.pendulum(more)
  local def = { name = "pendulum", q = { { "r", { 1, 0 } } }, v = { { "u", { 0, 0 } } },
    derivatives = function(ctx, dot)
      local r, u, du = ctx.r, ctx.u, dot.u
      local pull = (u[1] ^ 2 + u[2] ^ 2 - GRAVITY * r[2]) / (r[1] ^ 2 + r[2] ^ 2)
      dot.r[1], dot.r[2] = u[1], u[2]
      du[1], du[2] = -pull * r[1], -pull * r[2] - GRAVITY
    end,
    constraints = function(ctx, residual) residual[1] = (ctx.r[1] ^ 2 + ctx.r[2] ^ 2 - 1) / 2 end }
  for key, value in pairs(more or {}) do def[key] = value end
  return saltus.system(def)
end

function mechanisms.double_pendulum()
  return mechanisms.system("double_pendulum", { 1, 1 }, { 1, 0, 2, 0 }, { 0, 0, 0, 0 }, function(x, v)
    return { mechanisms.rod(x, v, nil, 1, 1, 4), mechanisms.rod(x, v, 1, 2, 1, 4) }
  end)
end

-- A crank of 0.3 m turning about the origin, a rod of 1 m to a slider on the x axis.
mechanisms.CRANK, mechanisms.ROD = 0.3, 1
function mechanisms.slider_crank(speed)
  local a, b = mechanisms.CRANK, mechanisms.ROD
  return mechanisms.system("slider_crank", { 1, 2 }, { a, 0, a + b, 0 }, { 0, a * speed, 0, 0 }, function(x, v)
    return { mechanisms.rod(x, v, nil, 1, a, 4), mechanisms.rod(x, v, 1, 2, b, 4),
      { residual = x[4], gradient = { 0, 0, 0, 1 }, gamma = 0 } }
  end)
end

-- How far the rods are from their lengths, in m.
function mechanisms.stretch(r, from, to, length)
  local dx = r[2 * to - 1] - (from and r[2 * from - 1] or 0)
  local dy = r[2 * to] - (from and r[2 * from] or 0)
  return math.abs(math.sqrt(dx ^ 2 + dy ^ 2) - length)
end

-- A pendulum by its angle from the x axis: its context at t, and a log of the angle.
function mechanisms.by_angle(accuracy, t, more)
  local def = { name = "angle", q = { { "angle", 0 } }, v = { { "speed", 0 } },
    derivatives = function(ctx, dot)
      dot.angle, dot.speed = ctx.speed, -mechanisms.GRAVITY * math.cos(ctx.angle)
    end }
  for k, v in pairs(more or {}) do def[k] = v end
  local sim = saltus.simulator(saltus.system(def), { accuracy = accuracy })
  local log = saltus.log(sim, { "angle" })
  sim:advance_to(t)
  return sim.context, log
end

return mechanisms
