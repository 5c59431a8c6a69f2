-- A Jacobian that the user computes, converted to the list that the engine reads: the rows of df_i/dx_k one after the
-- other; for a band { lower =, upper = } the rows of its diagonals.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local jacobian = {}

-- Returns at(i, k), the index of df_i/dx_k in the list or nil outside of the band, and the length of the list.
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
  names.check(type(value) == "number", value, "jacobian: %s must be a number", who)
  if at then
    list[at] = value
  elseif value ~= 0 then
    names.fail("jacobian: %s lies outside of the band of jacobian_pattern", who)
  end
end

-- For x' = f(t, x): fn(t, x, j) writes j[i][k]; unwritten elements are 0.
function jacobian.by_number(fn, n, pattern)
  local at, count = layout(n, pattern)
  return function(t, x)
    local rows, list = {}, zeros(count)
    for i = 1, n do rows[i] = {} end
    fn(t, x, rows)
    for i = 1, n do
      names.check(type(rows[i]) == "table", rows[i], "jacobian: j[%d] must be a row of %d numbers", i, n)
      for k, value in pairs(rows[i]) do
        local who = ("j[%d][%s]"):format(i, names.show(k))
        if math.type(k) ~= "integer" or k < 1 or k > n then names.fail("jacobian: there is no %s", who) end
        put(list, at(i, k), value, who)
      end
    end
    return list
  end
end

local function number_of(number, path)
  return number[path]
    or names.fail_unknown("continuous variable", path, names.sorted_keys(number), "jacobian")
end

-- For a model: fn(ctx, j) writes j.speed.height, the derivative of speed' with respect to height; the names are paths.
function jacobian.by_name(fn, m, view, pattern)
  local number, elements = {}, m:state_elements()
  for i, element in ipairs(elements) do number[names.join(m.parts[element.part].path, element.name)] = i end
  local at, count = layout(#elements, pattern)
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

-- Sets the Jacobian of the options in the engine.
function jacobian.give(sim, o)
  local fn = type(o.jacobian) == "function" and o.jacobian
  sim.core:set_jacobian(fn and jacobian.by_name(fn, sim.model, sim.inner.seen, o.jacobian_pattern) or nil)
end

return jacobian
