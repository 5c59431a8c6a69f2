-- saltus.group(system, options): simulators of one system that share a clock, for entities that come and go.
--
--   local group = saltus.group(enemy, { seed = 3 })
--   local first = group:add { height = 2 }
--   group:advance_to(1 / 60)
--   print(first.context.height)
--
-- As sal_group in C: members make their own steps; they meet at the end of each frame, where messages are delivered and
-- links are carried.
local context = require "saltus.simulation.context"
local core = require "saltus.core"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local signals = require "saltus.group.signals"
local simulator = require "saltus.simulation.simulator"
local snapshot = require "saltus.group.snapshot"

local Group = { __name = "saltus.group" }
Group.__index = Group

local Member = { __name = "saltus.group.member" }
Member.__index = Member

-- ---- members ----

-- A simulator that was not changed in its last life serves again.
function Group:take_simulator() return table.remove(self.free) or simulator.new(self.system, self.given) end

function Group:give_back(sim)
  if not sim.inner.is_changed then self.free[#self.free + 1] = sim end
end

local function seed_of(self, id) return math.tointeger(tonumber(core.hash(("%d %d"):format(self.seed, id)), 16)) end

-- What a member is from the start, or from a save on. `member`: one that was there before.
function Group:enter(id, sim, member)
  member = member or setmetatable({ id = id }, Member)
  member.sim, member.context = sim, sim.context
  self.members[id] = member
  self.count = self.count + 1
  return member
end

local function begin_life(self, member, values)
  member.sim.core:begin_case(self.blank, seed_of(self, member.id), {}, {})
  member.sim.context.time = self.time
  signals.apply_all(self, member.sim)
  for _, path in ipairs(names.sorted_keys(values)) do member.sim.context[path] = values[path] end
end

-- Adds a member with these values by path, and the defaults of the system for others. The next frame initializes it.
function Group:add(values)
  self:assert_idle()
  names.check(values == nil or type(values) == "table", values, "add takes a table of values by path")
  local member = self:enter(self.last_id + 1, self:take_simulator())
  local ok, why = pcall(begin_life, self, member, values or {})
  if not ok then
    self:leave(member)
    error(why, 0)
  end
  self.last_id = member.id
  self.order[#self.order + 1] = member.id
  return member
end

function Group:leave(member)
  self.members[member.id] = nil
  self.count, self.has_gaps = self.count - 1, true
  self:give_back(member.sim)
end

function Group:remove(member)
  self:assert_idle()
  member = self:check(member, "remove")
  self:leave(member)
  member.sim, member.context = nil, nil
end

-- Returns the member, which may be given by its id.
function Group:check(member, what)
  local id = getmetatable(member) == Member and member.id or member
  local found = math.type(id) == "integer" and self.members[id]
  names.check(found, member, "%s takes a member of the group, or its id", what)
  return found
end

local function close_gaps(self)
  local order, count = self.order, 0
  for i, id in ipairs(order) do
    order[i] = nil
    if self.members[id] then
      count = count + 1
      order[count] = id
    end
  end
  self.has_gaps = false
end

-- The ids of all members, in their order: a list that the group keeps, since a sort in each frame takes half of it.
function Group:in_order()
  if self.has_gaps then close_gaps(self) end
  return self.order
end

function Group:ids() return table.move(self:in_order(), 1, self.count, 1, {}) end

function Group:assert_idle()
  names.fail_if(self.running, "a member of the group is running; a closure may only send, and read group:self(), "
    .. "group:message() and group.time")
end

-- ---- messages ----

local function is_before(a, b)
  if a.time ~= b.time then return a.time < b.time end
  if a.from ~= b.from then return a.from < b.from end
  return a.number < b.number
end

-- Notes where the messages begin that the updates of this instant send.
local function note_updates(self)
  local step, is_updating = self.running.sim.core:instant()
  if is_updating and step ~= self.update_step then self.sent_before_updates, self.update_step = #self.sent, step end
end

-- For handlers: demands an event of another member, by its id, at the end of this frame. `data` is plain data.
function Group:send(to, path, data)
  names.fail_if(not self.running, "send: only a handler of a member can send")
  to = getmetatable(to) == Member and to.id or to
  names.check(math.type(math.tointeger(to)) == "integer", to, "send takes the id of a member")
  local part, event = self.blank_sim.model:event(path)
  if not part then names.fail("send: %s", event) end
  names.fail_if(event.trigger ~= "demand", "send: event %q has its own trigger; only an event with at = \"demand\" can "
    .. "be addressed", path)
  note_updates(self)
  self.sent_count = self.sent_count + 1
  self.sent[#self.sent + 1] = { from = self.running.id, to = math.tointeger(to), time = self.running.sim.core:time(0),
    path = path, data = data, number = self.sent_count }
end

-- For handlers: the id of the member that runs; the message that is delivered, { from =, time =, data = }.
function Group:self() return self.running and self.running.id end
function Group:message() return self.current end

-- ---- a frame ----

-- Calls fn of the simulator as this member. Returns whether it did not fail, and its result.
local function as_member(self, member, fn, ...)
  self.running, self.sent_before, self.update_step = member, #self.sent, -1
  local ok, result = pcall(fn, member.sim, ...)
  self.running = nil
  return ok, result
end

local function advance(sim, t) return sim:advance_to(t) end

local function note(frame, member, ok, result)
  if ok and result.reason == "reached_boundary_time" then return end
  if not frame.is_behind[member] then frame.behind[#frame.behind + 1] = member end
  frame.is_behind[member] = true
  if not ok and frame.failed == nil then frame.failed, frame.error = member, result end
end

-- Updates that were undone run again, as all does that ran in a start that failed: what they sent is dropped.
local function withdraw(self, member)
  local step, _, is_initialized, is_updated = member.sim.core:instant()
  local kept = not is_initialized and self.sent_before
    or not is_updated and step == self.update_step and self.sent_before_updates or #self.sent
  for i = #self.sent, kept + 1, -1 do self.sent[i] = nil end
end

local function deliver_one(self, m, frame)
  local to = self.members[m.to]
  if not to then return end
  if to.sim.core:time(0) < self.time then
    self.sent[#self.sent + 1] = m
    return
  end
  local handle
  self.current = m
  local ok, result = as_member(self, to, function(sim)
    handle = sim:schedule(self.time, m.path)
    return sim:advance_pending_events()
  end)
  self.current = nil
  if not ok then withdraw(self, to) end
  if handle and to.sim:cancel(handle) then self.sent[#self.sent + 1] = m end -- it comes again, with its event
  note(frame, to, ok, result)
end

local function deliver(self, frame)
  local all = self.sent
  self.sent = {}
  table.sort(all, is_before)
  for _, m in ipairs(all) do deliver_one(self, m, frame) end
end

-- Advances all members to t, delivers the messages, and carries the links. Returns the members that did not arrive.
-- The first error of a member is raised, after the others have arrived.
function Group:advance_to(t)
  self:assert_idle()
  names.check(numerals.is_finite(t) and t >= self.time, t, "advance_to takes a time that is not in the past")
  local frame = { behind = {}, is_behind = {} }
  self.time = t
  for _, id in ipairs(self:in_order()) do
    local member = self.members[id]
    local ok, result = as_member(self, member, advance, t)
    if not ok then withdraw(self, member) end
    note(frame, member, ok, result)
  end
  deliver(self, frame)
  signals.carry(self)
  if frame.failed then error(frame.error, 0) end
  return frame.behind
end

-- ---- signals ----

-- Sets an input of all members, now or on a straight line to `value` at t1; also of those that come.
function Group:set_input(path, value) signals.set(self, path, value) end
function Group:feed(path, t1, value) signals.feed(self, path, t1, value) end

-- At the end of each frame, an input of `to` gets the value of an output or a state of `from`. from = nil: ends it.
function Group:link(from, output, to, input) signals.link(self, from, output, to, input) end

-- ---- saves ----

function Group:save() return snapshot.save(self) end
function Group:load(saved) snapshot.load(self, saved) end
function Group:hash() return snapshot.hash(self) end

function Group:__tostring()
  return numerals.format("group of %d members of %s at t = %.10g s", self.count, self.name, self.time)
end

local function options_of(given)
  names.check(given == nil or type(given) == "table", given, "saltus.group takes a table of options")
  local own = names.merged(given or {})
  local start = own.start_time or 0
  names.check(numerals.is_finite(start), start, "saltus.group: start_time must be a number")
  return own, start
end

local function new(system, given)
  local own, start = options_of(given)
  local blank = simulator.new(system, own)
  local self = setmetatable({ system = system, given = own, time = start, seed = own.seed or 0, members = {},
    order = {}, free = {}, count = 0, last_id = 0, sent = {}, sent_count = 0, sent_before = 0, inputs = {}, links = {},
    blank_sim = blank, name = blank.model.name }, Group)
  context.show(blank.core, nil)
  self.blank = blank.core:save()
  return self
end

names.with_colon(Group, "saltus.group")
names.closed(Group, "a group", { "current", "has_gaps", "running" }, { "add", "advance_to", "count", "feed", "hash",
  "ids", "link", "load", "members", "message", "remove", "save", "self", "send", "set_input", "time" })
names.closed(Member, "a member of a group", { "context", "id", "sim" })

return { new = new }
