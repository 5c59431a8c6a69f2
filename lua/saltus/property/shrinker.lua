-- Makes a failing case simpler, as long as it still fails in the same way: parameters go home, several at once where
-- that works; the others get fewer digits, and come nearer to their homes. Where a parameter cannot go home alone, a
-- short search moves the others so that it can.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local search = require "saltus.property.search"

local shrinker = {}

local MOST_DIGITS = 6 -- rounded to; a number that needs more stays as it is
local HALVINGS = 10 -- of the way home of a number that is not whole
local SEARCH = 120 -- cases that a search may try

-- A number with so many digits.
local function rounded(value, digits) return numerals.parse(numerals.format("%." .. digits - 1 .. "e", value)) end

-- Rounded towards the side of `home`, and away from it.
local function neighbours(value, digits, home)
  local near = rounded(value, digits)
  local unit = 10.0 ^ (math.floor(math.log(math.abs(value), 10)) - digits + 1)
  local other = rounded(near < value and near + unit or near - unit, digits)
  if math.abs(near - home) <= math.abs(other - home) then return near, other end
  return other, near
end

-- The number with the fewest digits in the middle half of the way from a to b.
local function short_between(a, b)
  local low, high = math.min(a, b), math.max(a, b)
  local middle, quarter = low + (high - low) / 2, (high - low) / 4
  for digits = 1, 17 do
    local value = rounded(middle, digits)
    if value >= middle - quarter and value <= middle + quarter then return value end
  end
  return middle
end

-- ---- tries ----

local function key_of(values)
  return table.concat(names.map(values, function(value) return type(value) .. numerals.shortest(value) end), "\0")
end

-- Whether a verdict is of the same sort as that of the case, with a margin that is more than an error of the run.
local function is_alike(self, found)
  return found.kind == self.verdict.kind and (found.kind ~= "margin" or found.margin <= self.highest)
end

-- Whether these values fail as the case does; then they become the case. Nothing is tried twice.
local function try(self, values)
  local key = key_of(values)
  if self.tried[key] or self.left <= 0 or not self.allows(values) then return false end
  self.tried[key], self.left = true, self.left - 1
  local found = self.run(values, self.seed)
  if not is_alike(self, found) then return false, found end
  self.values, self.verdict, self.changed = values, found, true
  return true, found
end

local function with(self, i, value)
  local out = table.move(self.values, 1, #self.values, 1, {})
  out[i] = value
  return out
end

local function try_value(self, i, value)
  value = self.list[i]:accepted(value)
  return value ~= nil and value ~= self.values[i] and try(self, with(self, i, value))
end

-- The numbers of the parameters that are not at home.
local function away(self)
  local out = {}
  for i, one in ipairs(self.list) do
    if self.values[i] ~= one.home then out[#out + 1] = i end
  end
  return out
end

-- ---- passes ----

-- Sends groups home: halves, quarters, ..., single parameters.
local function send_home(self)
  local size = #away(self)
  while size >= 1 do
    local group = away(self)
    for first = 1, #group, size do
      local values = table.move(self.values, 1, #self.values, 1, {})
      for k = first, math.min(#group, first + size - 1) do values[group[k]] = self.list[group[k]].home end
      try(self, values)
    end
    size = size // 2
  end
end

-- The values of a list that come before this one.
local function take_earlier(self, i)
  for _, value in ipairs(self.list[i].values) do
    if value == self.values[i] or try_value(self, i, value) then return end
  end
end

local function take_digits(self, i)
  local value, home = self.values[i], self.list[i].home
  if value == 0 then return end
  for digits = 1, MOST_DIGITS do
    local near, other = neighbours(value, digits, home)
    if near == value or other == value or try_value(self, i, near) or try_value(self, i, other) then return end
  end
end

-- Halves the way home while the case fails; between whole numbers the last step is one.
local function come_near(self, i)
  local one, fine = self.list[i], self.list[i].home
  for _ = 1, one.is_integer and 64 or HALVINGS do
    local now = self.values[i]
    if now == fine then return end
    local middle = one.is_integer and (now > fine and fine + (now - fine) // 2 or now + (fine - now + 1) // 2)
      or short_between(fine, now)
    if not try_value(self, i, middle) then
      if one.is_integer and math.abs(now - fine) <= 1 then return end
      fine = middle -- this one holds
    end
  end
end

local function simplify(self, i)
  if self.list[i].values then return take_earlier(self, i) end
  come_near(self, i)
  if not self.list[i].is_integer then take_digits(self, i) end
end

-- Sends parameter i home, and moves the others that are away so that the case fails again.
local function exchange(self, i)
  local free, start = {}, {}
  for _, k in ipairs(away(self)) do
    if k ~= i then free[#free + 1], start[#start + 1] = k, self.list[k]:place_of(self.values[k]) end
  end
  local base, left = with(self, i, self.list[i].home), math.min(SEARCH, self.left - self.reserve)
  if #free == 0 or left <= 0 then return end
  search.run(start, self.seed + i, function(point)
    local values = table.move(base, 1, #base, 1, {})
    for k, at in ipairs(free) do values[at] = self.list[at]:at(point[k]) end
    left = left - 1
    local fails, found = try(self, values)
    return found and found.margin or math.huge, fails or left <= 0
  end)
end

local function exchange_all(self)
  if self.verdict.kind ~= "margin" then return end
  for _, i in ipairs(away(self)) do
    if self.values[i] ~= self.list[i].home then exchange(self, i) end
    if self.changed then return end
  end
end

local function simplify_all(self)
  for _, i in ipairs(away(self)) do simplify(self, i) end
end

local function while_changed(self, first, second)
  repeat
    self.changed = false
    first(self)
    second(self)
  until not self.changed or self.left <= 0
end

-- given: list (of parameters), values, seed, verdict, home_seed, most (cases), accuracy (of margins),
-- run(values, seed), allows(values).
-- Returns the values, the seed and the verdict of the simplest case, and how many were tried.
function shrinker.run(given)
  local self = names.merged(given, { left = given.most, reserve = given.most // 4, tried = {} })
  self.highest = self.verdict.margin and self.verdict.margin <= -given.accuracy and -given.accuracy or 0
  self.tried[key_of(self.values)] = true
  if self.seed ~= self.home_seed and self.left > 0 then
    self.left = self.left - 1
    local found = self.run(self.values, self.home_seed)
    if is_alike(self, found) then self.seed, self.verdict = self.home_seed, found end
  end
  -- First as few parameters as possible, then short numbers.
  while_changed(self, send_home, exchange_all)
  while_changed(self, simplify_all, send_home)
  return self.values, self.seed, self.verdict, given.most - self.left
end

return shrinker
