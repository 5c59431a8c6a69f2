-- A live session: runs a scenario at a chosen speed, with single steps, steps back, changed values and edited files. It
-- knows no sockets and no clock but the one that it is given.
--
-- The run is computed by whole steps, as `saltus run` does. What is shown lies inside the last step; a change from
-- outside takes the run back to the shown time first.
local handover = require "saltus.live.handover"
local controls = require "saltus.live.controls"
local live_run = require "saltus.live.live_run"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local save_ring = require "saltus.live.save_ring"
local trace = require "saltus.live.trace"

local session = {}

local Session = {}
Session.__index = Session

local BUDGET = 0.012 -- s of computing for each tick
local BETWEEN_SAVES = 0.005 -- s of computing between two saves while the run goes on

-- The speeds that a page offers, as multiples of the default.
local factors = { 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100 }

-- Real time for runs of a second to a minute; else 1, 2 or 5 times a power of ten so that the run takes about 10 s.
local function default_speed(duration)
  if not duration or duration == 0 or duration >= 1 and duration <= 60 then return 1 end
  local power = 10.0 ^ math.floor(math.log(duration / 10, 10) + 1e-9)
  local rest = duration / 10 / power
  return (rest < 1.5 and 1 or rest < 3.5 and 2 or rest < 7.5 and 5 or 10) * power
end

-- options: load() returns the scenario, or nil and an error text; changes(scenario) returns what scenario:run takes;
-- speed; clock() in real seconds. Returns nil and the error text if the file does not load.
function session.new(options)
  local self = setmetatable({ options = options, clock = options.clock, set_by_user = {}, notices = {},
    notice_count = 0 }, Session)
  local run, wrong = self:open()
  if not run then return nil, wrong end
  self.speed = default_speed(run.duration)
  self.speeds = {}
  for i, factor in ipairs(factors) do self.speeds[i] = factor * self.speed end
  self.speed = options.speed or self.speed
  self:begin(run)
  return self
end

-- ---- runs ----

-- A fresh run of a scenario.
function Session:made_of(scenario)
  return live_run.new(scenario, self.options.changes and self.options.changes(scenario))
end

-- A fresh run of the file; nil and the error text.
function Session:open()
  local scenario, wrong = self.options.load()
  if not scenario then return nil, wrong end
  local ok, run = pcall(self.made_of, self, scenario)
  if ok then return run end
  return nil, tostring(run)
end

-- Starts with a run that has not begun, and with the values that the user has set.
function Session:begin(run)
  for path, value in pairs(self.set_by_user) do pcall(run.set, run, path, value) end
  self.run, self.mode, self.renewed = run, "paused", true
  self.trace, self.ring = trace.new(run.reader.columns), save_ring.new()
  self.number, self.shown, self.ending = 0, run:time(), nil
  self:save()
end

-- Saves the present state, once. `by_change`: a change from outside made it.
function Session:save(by_change)
  local last, run = self.ring:last(), self.run
  self.saved_at = self.clock()
  if last and last.number == self.number and not by_change then return end
  run.reader:pull(self.trace)
  self.ring:push({ number = self.number, time = run:time(), data = run.sim:save(), stop = run.stop, run = run,
    serial = self.trace.last, counts = names.merged(run.reader.counts), by_change = by_change }, by_change)
end

-- Goes on with another run. Its log may have other columns.
local function adopt(self, run)
  self.trace = self.trace:with_columns(run.reader.columns)
  run.reader:continue(self.run.reader)
  self.run, self.renewed = run, true
end

-- Returns to a save. One of a run before the last edit is continued by the present closures.
local function restore(self, save)
  save.run.sim:load(save.data)
  if save.run ~= self.run then
    local fresh = self:made_of(self.run.scenario)
    handover.move(save.run.sim, fresh.sim)
    adopt(self, fresh)
  end
  self.trace:cut(save.serial)
  self.run.stop = save.stop
  self.run.reader:rewind(save.serial, save.counts)
  self.number, self.shown, self.ending, self.renewed = save.number, save.time, nil, true
end

-- ---- numbered states ----

-- Goes to a state: to a save before it, and by steps from there as far as no change from outside lies between.
function Session:go_to(number)
  local save = self.ring:at(number)
  restore(self, save)
  for _ = save.number + 1, math.min(number, save.reach) do
    self.ending = self.run:step()
    self.number = self.number + 1
  end
  self.run.reader:pull(self.trace)
  self.ring:cut(self.number)
  self.shown = self.run:time()
end

-- Makes a state of a change that has been made. Changes in a row make one state.
local function made_change(self)
  local last = self.ring:last()
  if not (last.by_change and last.number == self.number) then self.number = self.number + 1 end
  self:save(true)
  self.ending, self.shown, self.renewed = nil, self.run:time(), true
  if self.mode == "failed" or self.mode == "ended" then self.mode = "paused" end
end

-- Takes the run back to the time that is shown, then makes a change from outside: change(run). Raises the error of the
-- change.
local function change_now(self, change)
  local shown = self.shown
  if shown < self.run:time() then
    self:go_to(self.number - 1)
    self.run.sim:advance_to(shown)
    made_change(self)
  end
  change(self.run)
  made_change(self)
end

local function fail(self, message)
  self.mode, self.shown = "failed", self.run:time()
  self.run.reader:pull(self.trace)
  self:notice("error", tostring(message))
end

-- One step of the run; false if it failed or ended.
function Session:step()
  if self.clock() - self.saved_at > BETWEEN_SAVES or self.mode == "paused" then self:save() end
  local ok, ending = pcall(self.run.step, self.run)
  for _, warning in ipairs(self.run:new_warnings()) do self:notice("warning", warning) end
  if not ok then
    fail(self, ending)
    return false
  end
  self.number, self.ending = self.number + 1, ending
  return not ending
end

-- ---- time passes ----

local function advance(self, target)
  local deadline = self.clock() + BUDGET
  while self.run:time() < target and not self.ending and self.mode ~= "failed" and self.clock() < deadline do
    self:step()
  end
  self.run.reader:pull(self.trace)
  if self.mode == "failed" then return end
  self.shown = math.min(target, self.run:time())
  if self.ending and self.shown >= self.run:time() then
    self.mode = "ended"
    self:notice("end", self.ending)
  end
end

-- Events that happen at each step are not what a user looks for.
local function count_of_events(run)
  local count = 0
  for name, times in pairs(run.reader.counts) do
    local _, event = run.model:event(name)
    if event and event.trigger ~= "step" then count = count + times end
  end
  return count
end

-- The step in which an event fired begins with its update: goes back to just after that update.
local function stand_at_event(self, count_before)
  self:go_to(self.number - 1)
  self.run.sim:advance_pending_events()
  self.run.reader:pull(self.trace)
  if count_of_events(self.run) == count_before then return self:step() end -- it fired at the end of the step
  self.number = self.number + 1
  self:save(true)
end

-- Steps until an event fires.
local function seek(self)
  local deadline = self.clock() + BUDGET
  while self.mode == "seeking" and self.clock() < deadline do
    local before = count_of_events(self.run)
    local goes_on = self:step()
    self.run.reader:pull(self.trace)
    if self.mode == "seeking" and count_of_events(self.run) > before then
      self.mode = "paused"
      local ok, message = pcall(stand_at_event, self, before)
      if not ok then fail(self, message) end -- its handler, called again, raised
    elseif not goes_on then
      break
    end
  end
  self.shown = self.run:time()
  if self.ending and self.mode == "seeking" then
    self.mode = "ended"
    self:notice("end", self.ending)
  end
end

-- `seconds` of real time have passed.
function Session:tick(seconds)
  if self.mode == "running" then
    advance(self, self.speed == math.huge and math.huge or self.shown + seconds * self.speed)
  elseif self.mode == "seeking" then
    seek(self)
  end
end

-- ---- what the page asks for ----

-- kind: "error", "warning", "end" or "news"
function Session:notice(kind, text)
  self.notice_count = self.notice_count + 1
  table.insert(self.notices, { number = self.notice_count, kind = kind, text = text })
  if #self.notices > 20 then table.remove(self.notices, 1) end
end

local acts = {}
session.acts = acts

function acts:play()
  if self.mode == "failed" then return "the run failed; step back, set a value or edit the file" end
  if self.mode == "ended" then self.ending = nil end
  self.mode = "running"
end

function acts:pause()
  if self.mode == "running" or self.mode == "seeking" then self.mode = "paused" end
end

function acts:step()
  self.mode = "paused"
  if self.shown < self.run:time() then
    self.shown = self.run:time()
  elseif not self:step() and self.ending then
    self.mode = "ended"
    self:notice("end", self.ending)
  end
  self.run.reader:pull(self.trace)
  self.shown = self.run:time()
end

function acts:event()
  self.shown, self.mode, self.ending = self.run:time(), "seeking", nil
end

function acts:back()
  self.mode = "paused"
  if self.number == 0 then return "this is the start of the run" end
  self:go_to(self.number - 1)
end

function acts:to(fields)
  local t = numerals.parse(fields.time or "")
  if not numerals.is_finite(t) then return "time must be a number of seconds" end
  self.mode = "paused"
  self:go_to(self.ring:at_time(t).number)
end

function acts:restart() self:begin(self:made_of(self.run.scenario)) end

function acts:speed(fields)
  local speed = fields.value == "max" and math.huge or numerals.parse(fields.value or "")
  if not speed or not (speed > 0) then return "the speed must be a number greater than 0, or max" end
  self.speed = speed
end

function acts:set(fields)
  for _, control in ipairs(self.run.controls) do
    if control.path == fields.name then
      local value, wrong = controls.parse(control, fields.value or "")
      if value == nil then return wrong end
      change_now(self, function(run) run:set(control.path, value) end)
      self.set_by_user[control.path] = value
      return nil
    end
  end
  return ("there is no parameter or input %s"):format(names.show(fields.name))
end

function acts:demand(fields)
  local part, event = self.run.model:event(fields.name)
  if not part then return event end
  change_now(self, function(run) run.sim:demand(fields.name) end)
end

-- What a page asks for, by name. Returns nil, or why it was not done.
function Session:act(name, fields)
  local act = acts[name]
  if not act then return ("there is no action %s"):format(names.show(name)) end
  local ok, refused = pcall(act, self, fields or {})
  if ok then return refused end
  return tostring(refused)
end

local function continue_with(self, fresh)
  local report
  change_now(self, function(run)
    report = handover.move(run.sim, fresh.sim)
    fresh.stop = math.max(fresh.stop, run.stop)
    adopt(self, fresh)
  end)
  for _, path in ipairs(report.edited) do self.set_by_user[path] = nil end
  table.insert(report, 1, ("the edited file runs on from t = %s s"):format(fresh:time_text()))
  return table.concat(report, "; ")
end

-- The file was edited: the run goes on with its new closures. A file that does not load leaves the run as it is.
function Session:reload()
  local fresh, wrong = self:open()
  if not fresh then
    return self:notice("error", "the edited file does not load, so the run goes on without it: " .. wrong)
  end
  if not self.run.sim.core:initialized() then
    self:begin(fresh)
    return self:notice("news", "the edited file was loaded")
  end
  local old = self.run
  local ok, report = pcall(continue_with, self, fresh)
  if ok then return self:notice("news", report) end
  self.run = old
  self:notice("error", "the edited file cannot continue this run: " .. tostring(report))
end

return session
