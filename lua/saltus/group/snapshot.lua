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

-- A member that is still there keeps its simulator, and so its logs; but one with stories gets a new one, since the
-- group's stories are not saved.
local function simulator_for(self, member, taken)
  if member and not member.sim.inner.stories then return member.sim end
  taken[#taken + 1] = self:take_simulator()
  return taken[#taken]
end

-- The simulators that the saved runs fit, by id; an error if one does not fit: then nothing has changed.
local function fitting_simulators(self, saved)
  local found, taken = {}, {}
  local ok, why = pcall(function()
    for _, id in ipairs(names.sorted_keys(saved)) do
      found[id] = simulator_for(self, self.members[id], taken)
      if found[id].core:check_load(saved[id]) ~= 0 then found[id]:load(saved[id]) end -- which raises an error
    end
  end)
  if ok then return found end
  for _, sim in ipairs(taken) do self:give_back(sim) end
  return names.fail("load: this was not saved by a group of %q (%s)", self.name, tostring(why))
end

local function load_members(self, saved)
  local found, before = fitting_simulators(self, saved), self.members
  for id, member in pairs(before) do
    if found[id] ~= member.sim then
      self:give_back(member.sim)
      member.sim, member.context = nil, nil
    end
  end
  self.members, self.count = {}, 0
  for id, sim in pairs(found) do
    sim:load(saved[id])
    self:enter(id, sim, before[id])
  end
end

function snapshot.load(self, saved)
  self:assert_idle()
  local state = read(self, saved)
  load_members(self, state.members)
  self.order = names.sorted_keys(self.members)
  for _, name in ipairs { "time", "last_id", "sent", "sent_count", "inputs", "links" } do self[name] = state[name] end
end

function snapshot.hash(self)
  local parts = { serialize.encode { self.time, self.last_id, self.sent } }
  for _, id in ipairs(self:in_order()) do parts[#parts + 1] = ("%d %s"):format(id, self.members[id].sim:hash()) end
  return core.hash(table.concat(parts, "\n"))
end

return snapshot
