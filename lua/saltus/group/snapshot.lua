-- Saving and loading a group: the saves of its members, and what waits between them, as one string.
local core = require "saltus.core"
local names = require "saltus.util.names"
local serialize = require "saltus.util.serialize"

local snapshot = {}

local HEAD = "saltus group 1\n"

function snapshot.save(self)
  self:assert_idle()
  local members = {}
  for id, member in pairs(self.members) do members[id] = member.sim:save() end
  local body = HEAD .. serialize.encode { time = self.time, last_id = self.last_id, sent = self.sent,
    sent_count = self.sent_count, inputs = self.inputs, links = self.links, members = members }
  return body .. core.hash(body)
end

local function read(self, saved)
  names.check(type(saved) == "string", saved, "load takes what save returned")
  local body = saved:sub(1, -17)
  local sound = saved:sub(1, #HEAD) == HEAD and core.hash(body) == saved:sub(-16)
  names.fail_if(not sound, "load: this was not saved by a group of %q, or it is damaged", self.name)
  return serialize.decode(body:sub(#HEAD + 1))
end

-- Other simulators take the members' runs: if one of them does not fit, nothing has changed.
local function load_members(self, saved)
  local before, count = self.members, self.count
  self.members, self.count = {}, 0
  local ok, why = pcall(function()
    for _, id in ipairs(names.sorted_keys(saved)) do self:enter(id).sim:load(saved[id]) end
  end)
  local others = ok and before or self.members
  if not ok then self.members, self.count = before, count end
  for _, member in pairs(others) do
    if not member.sim.inner.is_changed then self.free[#self.free + 1] = member.sim end
  end
  names.fail_if(not ok, "load: this was not saved by a group of %q (%s)", self.name, tostring(why))
  return before
end

-- Members that are in both keep their tables.
local function keep_tables(self, before)
  for id, member in pairs(self.members) do
    local was = before[id]
    if was then
      was.sim, was.context = member.sim, member.context
      self.members[id] = was
    end
  end
  for id, was in pairs(before) do
    if not self.members[id] then was.sim, was.context = nil, nil end
  end
end

function snapshot.load(self, saved)
  self:assert_idle()
  local state = read(self, saved)
  keep_tables(self, load_members(self, state.members))
  self.order = names.sorted_keys(self.members)
  for _, name in ipairs { "time", "last_id", "sent", "sent_count", "inputs", "links" } do self[name] = state[name] end
end

function snapshot.hash(self)
  local parts = { serialize.encode { self.time, self.last_id, self.sent } }
  for _, id in ipairs(self:in_order()) do parts[#parts + 1] = ("%d %s"):format(id, self.members[id].sim:hash()) end
  return core.hash(table.concat(parts, "\n"))
end

return snapshot
