-- A case from start to stop, in one piece or in many, with what a host may do in between; the judge looks on.
local saltus = require "saltus"
local numbers = require "spec.support.outside.numbers"
local judge = require "spec.support.outside.judge"

local run = {}
run.__index = run

local single = { "save", "fresh", "clone", "fork", "rewind", "touch", "switch", "steps", "pending" }

-- Events without handler are known from the run's own log only.
local function follow(self)
  if next(self.case.silent) then self.record, self.heard = saltus.log(self.sim, {}), 0 end
end

local function simulator(case, options)
  local sim = saltus.simulator(case.system, options)
  for path, value in pairs(case.values) do sim.context[path] = value end
  return sim
end

local function replace(self, sim)
  self.sim = sim
  follow(self)
end

local function hear(self, from)
  local log, events = self.case.log, self.record and self.record.events or {}
  local found = {}
  for i = (self.heard or 0) + 1, #events do
    local name = events[i].name:match "[^.]+$"
    if self.case.silent[name] then found[#found + 1] = { events[i].time, name } end
  end
  self.heard = #events
  if #found == 0 then return end
  local t, names, w, n, k = {}, {}, {}, 0, 1
  local function put(...)
    n = n + 1
    t[n], names[n], w[n] = ...
  end
  for i = from, log.n do
    while found[k] and found[k][1] < log.t[i] do
      put(found[k][1], found[k][2], false)
      k = k + 1
    end
    put(log.t[i], log.name[i], log.w[i])
  end
  for i = k, #found do put(found[i][1], found[i][2], false) end
  for i = 1, n do log.t[from + i - 1], log.name[from + i - 1], log.w[from + i - 1] = t[i], names[i], w[i] end
  log.n = from + n - 1
end

local function advance(self, target, in_steps)
  local from = self.case.log.n + 1
  if in_steps then
    local r = self.r
    for _ in self.sim:steps(target, r:chance(0.5) and (target - self.sim.context.time) / 3 or nil) do end
  else
    self.sim:advance_to(target)
  end
  if self.sim.context.time < target then error({ what = "stuck", text = tostring(self.sim.status) }, 0) end
  hear(self, from)
end

local function segment(log, from)
  local text = {}
  for i = from, log.n do text[#text + 1] = ("%s at %.17g"):format(log.name[i], log.t[i]) end
  return text
end

local function same(a, b, how)
  for i = 1, math.max(#a, #b) do
    if a[i] ~= b[i] then
      error({ what = "not the same", text = ("%s: first %s, then %s"):format(how, a[i] or "no more", b[i] or
        "no more") }, 0)
    end
  end
end

local deeds = {}

function deeds.none(self, target) advance(self, target) end

function deeds.save(self, target)
  self.sim:load(self.sim:save())
  advance(self, target)
end

function deeds.fresh(self, target)
  local sim, n = simulator(self.case, self.options), self.case.log.n
  sim:initialize()
  self.case.log.n = n -- what that one published
  sim:load(self.sim:save())
  replace(self, sim)
  advance(self, target)
end

function deeds.clone(self, target)
  replace(self, self.sim:clone())
  advance(self, target)
end

-- Twice over, the second time must be the first to the bit.
local function twice(self, target, how, again)
  local log = self.case.log
  local n, jumped = log.n, log.jumped
  advance(self, target)
  local first = segment(log, n + 1)
  log.n, log.jumped = n, jumped
  again()
  advance(self, target)
  same(first, segment(log, n + 1), how)
end

function deeds.fork(self, target)
  local clone = self.sim:clone()
  twice(self, target, "a clone goes on otherwise", function() replace(self, clone) end)
end

function deeds.rewind(self, target)
  local saved = self.sim:save()
  twice(self, target, "a run goes on otherwise after load", function()
    self.sim:load(saved)
    follow(self)
  end)
end

-- A state is written with what it is.
function deeds.touch(self, target)
  local names = self.case.names
  if #names > 0 then
    local path = self.case.state_prefix .. self.r:pick(names)
    self.sim.context[path] = self.sim.context[path]
  end
  advance(self, target)
end

-- Another integrator initializes the run again, which publishes and arms anew: not at an instant where something
-- happened.
function deeds.switch(self, target)
  local now = self.sim.context.time
  if not self.case.plan.method.fixed and not self.judge:is_busy(now, self.window) then
    local o = self.options
    self.sim:set_integrator(o.integrator, { accuracy = o.accuracy, max_step = o.max_step,
      dense_output = o.dense_output })
  end
  advance(self, target)
end

function deeds.steps(self, target) advance(self, target, true) end

function deeds.pending(self, target)
  local from = self.case.log.n + 1
  self.sim:advance_pending_events()
  hear(self, from)
  advance(self, target)
end

-- Some updates fail: their instant is undone, and runs again at the next call.
function deeds.stumble(self, target)
  local log, sim, r, left = self.case.log, self.sim, self.r, self.r:integer(1, 4)
  local from, done = log.n + 1, log.n
  sim.monitor = function() done = log.n end
  function log.stumbles()
    local fails = left > 0 and r:chance(0.5)
    left = fails and left - 1 or left
    return fails
  end
  repeat
    local ok, err = pcall(sim.advance_to, sim, target)
    if not ok and not tostring(err):find "stumbled" then error(err, 0) end
    if not ok then log.n = done end
  until ok
  sim.monitor, log.stumbles = nil, nil
  hear(self, from)
end

-- Near to what is due next: on it, a few ulp or some part of the window from it.
local function near(self, now)
  local r, soon = self.r, {}
  for _, c in ipairs(self.case.clocks) do
    if c.due and c.due > now and c.due < self.case.stop then soon[#soon + 1] = c.due end
  end
  if #soon == 0 then return nil end
  local due = r:pick(soon)
  local u = r:real()
  if u < 0.2 then return due end
  if u < 0.5 then return due + r:integer(-40, 40) * numbers.ulp(due) end
  if u < 0.8 then return due + self.window * r:pick { -1, 1 } * numbers.decades(r, -4, 0.5) end
  return due + self.case.scale * r:pick { -1, 1 } * numbers.decades(r, -12, -1)
end

local function next_cut(self, now)
  local how, r, case = self.case.plan.cuts, self.r, self.case
  if how == "none" and case.before then how = "random" end
  if how == "none" then return case.stop end
  if how == "mixed" then how = r:pick { "random", "near" } end
  local at = how == "near" and near(self, now) or now + case.scale * numbers.decades(r, -1.5, 1)
  return math.min(at > now and at or now + case.scale * r:real(), case.stop)
end

-- Told by the host, at times the model cannot know.
local function shout(self, now, target)
  local case, clock = self.case, self.case.named.shout
  if not case.shouts or clock.due then return end
  local at = self.r:chance(0.5) and near(self, now) or numbers.between(self.r, now, target)
  if at <= now or at >= case.stop then return end
  self.sim:schedule(at, case.prefix .. "shout")
  clock.due = at
end

local function go(self)
  local case = self.case
  self.options = case:options()
  replace(self, simulator(case, self.options))
  self.sim:initialize()
  local now, how = case.start, case.plan.deeds
  self.window = self.sim:window()
  while now < case.stop do
    local target = next_cut(self, now)
    if target <= now then target = case.stop end
    shout(self, now, target)
    if case.before then case.before(self.sim, now, target) end
    self.judge.limits[target] = true
    deeds[how == "mixed" and self.r:pick(single) or how](self, target)
    now = target
    local before = self.window -- a call that is headed less far may have a smaller one
    self.window = case.plan.isolation == "ends" and 0 or self.sim:window()
    self.judge:feed(now, math.max(before, self.window))
  end
  if case.final then case.final(self.sim.context, function(what, ...) error({ what = what,
    text = string.format(...) }, 0) end) end
end

local function verdict(case, err)
  local text = tostring(type(err) == "table" and rawget(err, "text") or err)
  if type(err) == "table" and rawget(err, "what") then return { what = err.what, text = text } end
  local low = text:lower()
  local piles = low:find "accumulat" or low:find "chatter" or low:find "zeno"
  if case.raises and low:find(case.raises) then return nil end
  return { what = piles and "false Zeno" or "raised", text = text }
end

-- { events =, failure = { what, text } or nil, worst = }
function run.case(case)
  local self = setmetatable({ case = case, r = case.plan:stream "run", judge = judge.new(case) }, run)
  case.judge = self.judge
  local ok, err = pcall(go, self)
  local failure
  if not ok then
    failure = verdict(case, err)
  elseif case.raises then
    failure = { what = "silent", text = "no error, where one was due: " .. case.raises }
  end
  return { events = self.judge.events, failure = failure, worst = self.judge.worst }
end

return run
