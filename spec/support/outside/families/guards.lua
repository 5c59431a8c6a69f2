-- Crossings of an oscillator that count while a guard is open: one that samples open and shut, and one that looks at
-- the other state. What has crossed behind a shut guard is past when it opens.
local numbers = require "spec.support.outside.numbers"

local function open_at(at, period, offset)
  local k = math.floor((at - offset) / period)
  return k >= 0 and k % 2 == 0, math.abs((at - offset) / period - math.floor((at - offset) / period + 0.5)) * period
end

return { degree = math.huge, make = function(c)
  local r = c.r
  c.scale = c.plan:scale(-1.5, 1.5)
  c.crosses_back = true
  local omega, phi = 6 / c.scale, r:real() * 6
  local span = c.scale * numbers.between(r, 1, 8)
  local period, offset
  local lists = {}
  for try = 1, 200 do
    period, offset = c.scale * numbers.between(r, 0.1, 2), c.scale * r:real()
    local clean = true
    for i = 1, 3 do
      local level = numbers.between(r, -0.85, 0.85)
      local mine = {}
      local margin = 4 * c:error_of(omega * span) / (omega * math.sqrt(1 - level * level)) + 1e-6 * c.scale +
        1000 * numbers.ulp(math.abs(c.start) + span)
      local all = numbers.roots(function(s) return math.sin(omega * s + phi) - level end,
        function(s) return math.cos(omega * s + phi) end, 0, span + 1 / omega, 0.2 / omega) -- one may come early
      for _, root in ipairs(all) do
        local open, near = open_at(root.at, period, offset)
        clean = clean and near > margin
        local taken = i < 3 and open or i == 3 and root.sign > 0
        if taken then mine[#mine + 1] = root end
      end
      lists[i] = { level = level, roots = mine }
      c.least = math.min(try > 1 and c.least or math.huge, numbers.least_gap(all))
    end
    if clean then break end
    if try == 200 then lists = {} end
  end

  c:event { name = "toggle", every = period, offset = c.start + offset, writes = "discrete_update",
    act = function(ctx, next)
    next.open = 1 - ctx.open
  end }
  local k = 0
  c:clock("toggle", { due = c.start + offset, tol = 0, timed = true, after = function()
    k = k + 1
    return c.start + offset + k * period, nil, 8 * numbers.ulp(math.max(math.abs(c.start + offset), k * period))
  end })
  for i, list in ipairs(lists) do
    local name, n = "w" .. i, 1
    local function entry()
      local root = list.roots[n]
      if not root then return nil end
      return c.start + root.at, root.sign, (c:error_of(omega * root.at) + 1e-14) / (omega *
        math.sqrt(1 - list.level ^ 2)) + 64 * numbers.ulp(c.start + root.at)
    end
    c:event { name = name, witness = function(ctx) return ctx.x - list.level end,
      when = i < 3 and function(ctx) return ctx.open > 0.5 end or function(ctx) return ctx.y > 0 end }
    local due, sign, tol = entry()
    c:clock(name, { due = due, sign = sign, tol = tol or 0, line = true, after = function()
      n = n + 1
      return entry()
    end })
  end
  c:smooth(omega, 2)
  return c:build({ z = { { "x", math.sin(phi) }, { "y", math.cos(phi) } }, discrete = { { "open", 0 } },
    derivatives = function(ctx, dot) dot.x, dot.y = omega * ctx.y, -omega * ctx.x end }, c.start + span)
end }
