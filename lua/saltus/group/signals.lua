-- Signals of a group: inputs that all members share, and links from member to member.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local signals = {}

-- ---- shared inputs ----

local function are_equal(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for i = 1, #b do
    if a[i] ~= b[i] then return false end
  end
  return true
end

-- Equal values change nothing, so they end no step; but they end a line.
local function apply(self, sim, path, ends_line)
  local shared = self.inputs[path]
  local writes = not shared.t1 and (ends_line or not are_equal(sim.context[path], shared.value))
  if writes then sim.context[path] = shared.value end
  if shared.t1 and shared.t1 > self.time then
    sim:feed(path, shared.t1, shared.value)
  elseif shared.t1 then
    sim.context[path] = shared.value
  end
end

-- The value of a line at a time: by the engine, in a simulator that only this needs.
local function present(self, path)
  local shared = self.inputs[path]
  if not shared then return self.blank_sim.context[path] end
  if not shared.t1 or self.time >= shared.t1 then return shared.value end
  local share = (self.time - shared.t0) / (shared.t1 - shared.t0)
  local function between(a, b) return a + share * (b - a) end
  if type(shared.value) ~= "table" then return between(shared.from, shared.value) end
  return names.map(shared.value, function(b, i) return between(shared.from[i], b) end)
end

local function copied(value) return type(value) == "table" and table.move(value, 1, #value, 1, {}) or value end

-- A new member joins a line at its present value.
function signals.apply_all(self, sim)
  for _, path in ipairs(names.sorted_keys(self.inputs)) do
    if self.inputs[path].t1 then sim.context[path] = present(self, path) end
    apply(self, sim, path)
  end
end

local function apply_to_all(self, path, ends_line)
  for _, id in ipairs(self:in_order()) do apply(self, self.members[id].sim, path, ends_line) end
end

local function check_input(self, path, what)
  local part, e = self.blank_sim.model:resolve(path)
  if not part then names.fail("%s: %s", what, e) end
  names.fail_if(e.partition ~= "input", "%s: %q is not an input", what, path)
end

function signals.set(self, path, value)
  self:assert_idle()
  check_input(self, path, "set_input")
  self.blank_sim.context[path] = value -- refuses what is no value of it
  local t1 = self.inputs[path] and self.inputs[path].t1
  self.inputs[path] = { value = copied(value) }
  apply_to_all(self, path, t1 ~= nil and t1 > self.time)
end

function signals.feed(self, path, t1, value)
  self:assert_idle()
  check_input(self, path, "feed")
  names.check(numerals.is_finite(t1) and t1 > self.time, t1, "feed: the line must end at a time later than now")
  local from = copied(present(self, path))
  self.blank_sim.context[path] = value
  self.inputs[path] = { t0 = self.time, t1 = t1, from = from, value = copied(value) }
  apply_to_all(self, path)
end

-- ---- links ----

local function find(self, to, input)
  for i, link in ipairs(self.links) do
    if link.to == to and link.input == input then return i end
  end
end

function signals.link(self, from, output, to, input)
  self:assert_idle()
  to = self:check(to, "link").id
  check_input(self, input, "link")
  local known = find(self, to, input)
  if from == nil then
    if known then table.remove(self.links, known) end
    return
  end
  from = self:check(from, "link").id
  local value = self.members[from].context[output] -- refuses what is no path
  self.members[to].context[input] = value
  self.links[known or #self.links + 1] = { from = from, output = output, to = to, input = input }
end

-- All outputs are read before an input changes; equal values change nothing, so they end no step.
function signals.carry(self)
  local alive, values = {}, {}
  for _, link in ipairs(self.links) do
    if self.members[link.from] and self.members[link.to] then
      alive[#alive + 1] = link
      values[#alive] = self.members[link.from].context[link.output]
    end
  end
  self.links = alive
  for i, link in ipairs(alive) do
    local ctx = self.members[link.to].context
    if not are_equal(ctx[link.input], values[i]) then ctx[link.input] = values[i] end
  end
end

return signals
