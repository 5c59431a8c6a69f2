-- The stories that the host of a run spawned, in order: a load and a clone spawn them again. Those in a row that differ
-- only in their arguments are one group, since there may be many of them.
local changed_upvalues = require "saltus.story.changed_upvalues"
local names = require "saltus.util.names"

local roots = {}

local NONE = {}

local Roots = {}
Roots.__index = Roots

function roots.new() return setmetatable({ count = 0 }, Roots) end

local function last_of(group) return group.first + group.count - 1 end

local function fits(group, name, fn, n)
  return group and group.name == name and group.fn == fn and group.n == n and not changed_upvalues.any(group.upvalues)
end

-- The group to which the next story is added.
local function group_for(self, name, fn, n)
  local group = self[#self]
  if fits(group, name, fn, n) then return group end
  group = { name = name, fn = fn, n = n, upvalues = changed_upvalues.of(fn), arguments = n > 0 and {} or NONE,
    first = self.count + 1, count = 0 }
  self[#self + 1] = group
  return group
end

function Roots:add(name, fn, ...)
  local n = select("#", ...)
  local group = group_for(self, name, fn, n)
  for i = 1, n do group.arguments[group.count * n + i] = (select(i, ...)) end
  group.count, self.count = group.count + 1, self.count + 1
end

-- The group of a story, and the place of its first argument there. nil: there is no such story.
local function find(self, number)
  if number > self.count then return nil end
  local low, high = 1, #self
  while low < high do
    local middle = (low + high) // 2
    if last_of(self[middle]) < number then low = middle + 1 else high = middle end
  end
  return self[low], (number - self[low].first) * self[low].n + 1
end

-- name, fn, ... of a story by its number, from 1; nothing if there is none.
function Roots:get(number)
  local group, at = find(self, number)
  if group then return group.name, group.fn, table.unpack(group.arguments, at, at + group.n - 1) end
end

-- Forgets those after the first `count`.
function Roots:keep(count)
  while #self > 0 and self[#self].first > count do self[#self] = nil end
  local group = self[#self]
  if group and last_of(group) > count then
    for i = group.count * group.n, (count - group.first + 1) * group.n + 1, -1 do group.arguments[i] = nil end
    group.count = count - group.first + 1
  end
  self.count = math.min(self.count, count)
end

-- Calls visit(fn) for the functions of the stories, once for those in a row that are the same.
function Roots:each_function(visit)
  for _, group in ipairs(self) do visit(group.fn) end
end

function Roots:copy()
  local copy = roots.new()
  for i, group in ipairs(self) do
    copy[i] = names.merged(group)
    copy[i].arguments = table.move(group.arguments, 1, group.count * group.n, 1, {})
  end
  copy.count = self.count
  return copy
end

-- Why they cannot be told again: a text about the first upvalue that a story has changed, or nil.
function Roots:find_change()
  for _, group in ipairs(self) do
    local changed = changed_upvalues.find(group.upvalues, group.name or "story " .. group.first)
    if changed then return changed end
  end
  return nil
end

return roots
