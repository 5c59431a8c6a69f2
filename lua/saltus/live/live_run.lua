-- One loaded scenario that a live session drives: the simulator, its log, and single steps.
local controls = require "saltus.live.controls"
local log_reader = require "saltus.live.log_reader"
local names = require "saltus.util.names"
local stage = require "saltus.live.stage"

local live_run = {}

local LiveRun = {}
LiveRun.__index = LiveRun

local NO_DURATION = 1e9 -- s
local POINTS = 4000 -- of a curve over the whole duration, about

-- `changes`: as scenario:run takes them.
function live_run.new(scenario, changes)
  local spec = log_reader.spec(changes and changes.log or scenario.log)
  local duration = changes and changes.duration or scenario.duration
  local run = scenario:prepare(names.merged(changes, { log = spec, duration = duration or NO_DURATION }))
  local sim = run.sim
  local self = setmetatable({ scenario = scenario, model = sim.model, sim = sim, start = run.start, stop = run.stop,
    duration = duration }, LiveRun)
  self.reader = log_reader.new(sim, run.log, spec, (duration or 10) / POINTS)
  self.controls, self.stage = controls.of(self.model), stage.of(self)
  self.warnings_read = 0
  return self
end

function LiveRun:time() return self.sim.context.time end

-- One step; raises its error. Returns why the run ended there; nil if it goes on.
function LiveRun:step()
  local sim = self.sim
  if sim.context.time >= self.stop then self.stop = self.stop + (self.duration or NO_DURATION) end
  sim:steps(self.stop)()
  local status = sim.status
  if status.reason == "reached_termination" then return tostring(status) end
  return status.time >= self.stop and self:stop_text() or nil
end

-- Beyond its duration, a run stops again after as long a time.
function LiveRun:stop_text()
  local is_first = self.duration and self.stop <= self.start + self.duration
  return ("reached %s s%s"):format(self:time_text(), is_first and ", the duration of the scenario" or "")
end

function LiveRun:time_text() return names.show(self:time()) end

-- Writes a parameter or an input; raises an error for a value that it cannot have.
function LiveRun:set(path, value) self.sim.context[path] = value end

-- The warnings since the last call.
function LiveRun:new_warnings()
  local out, list = {}, self.sim.warnings
  for i = self.warnings_read + 1, #list do out[#out + 1] = list[i].message end
  self.warnings_read = #list
  return out
end

return live_run
