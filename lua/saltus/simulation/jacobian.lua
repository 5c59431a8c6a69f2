-- A Jacobian that the user gives, as the list that the engine reads: rows of df_i/dx_k behind one another; of a band
-- { lower =, upper = } rows of its diagonals.
local names = require "saltus.util.identifiers"
local numerals = require "saltus.util.numerals"

local jacobian = {}

-- at(i, k): where df_i/dx_k stands, nil outside of the band; how many elements there are.
local function layout(n, pattern)
  if type(pattern) ~= "table" then return function(i, k) return (i - 1) * n + k end, n * n end
  local lower, width = pattern.lower, pattern.lower + pattern.upper + 1
  return function(i, k)
    local diagonal = k - i + lower
    return diagonal >= 0 and diagonal < width and (i - 1) * width + diagonal + 1 or nil
  end, n * width
end

local function zeros(count)
  local list = {}
  for i = 1, count do list[i] = 0 end
  return list
end

local function put(list, at, value, who)
  if type(value) ~= "number" then names.fail("jacobian: %s must be a number, got %s", who, names.show(value)) end
  if at then
    list[at] = value
  elseif value ~= 0 then
    names.fail("jacobian: %s lies outside of the band of jacobian_pattern", who)
  end
end

-- Of x' = f(t, x): fn(t, x, j) writes j[i][k]; what it does not write is 0.
function jacobian.by_number(fn, n, pattern)
  local at, count = layout(n, pattern)
  return function(t, x)
    local rows, list = {}, zeros(count)
    for i = 1, n do rows[i] = {} end
    fn(t, x, rows)
    for i = 1, n do
      if type(rows[i]) ~= "table" then
        names.fail("jacobian: j[%d] must be a row of %d numbers, got %s", i, n, names.show(rows[i]))
      end
      for k, value in pairs(rows[i]) do
        local who = ("j[%d][%s]"):format(i, names.show(k))
        if math.type(k) ~= "integer" or k < 1 or k > n then names.fail("jacobian: there is no %s", who) end
        put(list, at(i, k), value, who)
      end
    end
    return list
  end
end

-- All q, v, z by path, vectors by their elements: "plant.r[2]".
local function numbers_of(m)
  local number, n = {}, 0
  for _, section in ipairs { "q", "v", "z" } do
    for _, part in ipairs(m.parts) do
      for _, e in ipairs(part.system[section]) do
        for i = 1, e.size do
          n = n + 1
          number[names.join(part.path, e.vector and ("%s[%d]"):format(e.name, i) or e.name)] = n
        end
      end
    end
  end
  return number, n
end

local function number_of(number, path)
  return number[path]
    or names.fail("jacobian: %s", names.unknown("continuous variable", path, names.sorted_keys(number)))
end

-- Of a model: fn(ctx, j) writes j.speed.height, the derivative of speed' by height; names as paths.
function jacobian.by_name(fn, m, view, pattern)
  local number, n = numbers_of(m)
  local at, count = layout(n, pattern)
  local list, rows = {}, {}
  local function row_of(path)
    local i = number_of(number, path)
    return setmetatable({}, {
      __index = function(_, other) return list[at(i, number_of(number, other)) or 0] or 0 end,
      __newindex = function(_, other, value)
        put(list, at(i, number_of(number, other)), value, ("j[%q][%q]"):format(path, other))
      end,
    })
  end
  local j = setmetatable({}, {
    __index = function(_, path)
      rows[path] = rows[path] or row_of(path)
      return rows[path]
    end,
    __newindex = function(_, path)
      names.fail("jacobian: write its elements: j[%q][name] = number", numerals.text(path))
    end,
  })
  return function()
    list = zeros(count)
    fn(view, j)
    return list
  end
end

-- Gives a simulator's engine what its options say.
function jacobian.give(sim, o)
  local fn = type(o.jacobian) == "function" and o.jacobian
  sim.core:set_jacobian(fn and jacobian.by_name(fn, sim.model, sim.inner.seen, o.jacobian_pattern) or nil)
end

return jacobian
