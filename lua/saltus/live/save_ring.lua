-- The saves of a live run to which it can step back: a bounded list, oldest first.
--
-- A run is a sequence of states, numbered from 0: each step makes one, and so does each change from outside. A save
-- is { number =, data =, ... } of a state. The states between two saves are computed again, as far as `reach`: the
-- last state before a change from outside, which steps alone do not make.
local save_ring = {}

local SaveRing = {}
SaveRing.__index = SaveRing

-- `most` saves of at most `most_bytes` together.
function save_ring.new(most, most_bytes)
  return setmetatable({ list = {}, bytes = 0, most = most or 400, most_bytes = most_bytes or 64 * 1024 * 1024 },
    SaveRing)
end

function SaveRing:last() return self.list[#self.list] end

function SaveRing:first() return self.list[1] end

-- Removes every second save of the older half, but not the first: the run can always begin again.
local function thin(self)
  local kept, half = { self.list[1] }, #self.list // 2
  for i = 2, #self.list do
    if i > half or i % 2 == 1 then
      kept[#kept + 1] = self.list[i]
    else
      self.bytes = self.bytes - #self.list[i].data
    end
  end
  self.list = kept
end

-- `by_change`: a change from outside made this state.
function SaveRing:push(save, by_change)
  if #self.list > 0 and self:last().number == save.number then
    self.bytes = self.bytes - #table.remove(self.list).data
  end
  for _, older in ipairs(by_change and self.list or {}) do older.reach = math.min(older.reach, save.number - 1) end
  save.reach = math.huge
  self.list[#self.list + 1] = save
  self.bytes = self.bytes + #save.data
  while #self.list > 3 and (#self.list > self.most or self.bytes > self.most_bytes) do thin(self) end
end

-- The last save that `holds`; the first if none does.
local function last_where(self, holds)
  for i = #self.list, 2, -1 do
    if holds(self.list[i]) then return self.list[i] end
  end
  return self.list[1]
end

-- The last save of a state up to this one.
function SaveRing:at(number) return last_where(self, function(save) return save.number <= number end) end

-- The last save of a state up to time t.
function SaveRing:at_time(t) return last_where(self, function(save) return save.time <= t end) end

-- Removes the saves of later states: the run takes another way from this one.
function SaveRing:cut(number)
  while #self.list > 1 and self:last().number > number do
    self.bytes = self.bytes - #table.remove(self.list).data
  end
  for _, save in ipairs(self.list) do
    if save.reach >= number then save.reach = math.huge end
  end
end

return save_ring
