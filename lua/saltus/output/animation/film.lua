-- Films: the pictures of a run at regular times, and on both sides of each jump. The run is that of sim:advance_to, to
-- the bit: pictures between steps come from the dense output.
--
--   local film = film.new(scene, { sim =, start =, stop = })
--   local status = film:advance_to(stop)        instead of sim:advance_to(stop)
--   film.frames                                 { { time =, commands = }, ... }; two at one time are x- and x+
--   film.failure                                the error of a draw function; the run goes on without pictures
local names = require "saltus.util.names"

local film = {}

local Film = {}
Film.__index = Film

local RATE = 60 -- frames in each second of the show
local MOST = 3600 -- frames; a longer show has them farther apart
local SHORT, LONG, SHOW = 1, 60, 10 -- s; a run below or above that is shown in SHOW seconds
local MOST_LOOKS = 64 -- steps from one frame to the next that are examined for jumps
local MOST_NUMBERS = 1e7 -- of the commands of all frames: some 400 MB, and a page of 30 MB
local MOST_JUMPS = 4 -- with more of them from one frame to the next, none is shown

-- Simulated seconds in a second of the show: 1, or what shows a very short or long run in ten seconds.
function film.speed_of(duration)
  if duration == 0 or duration >= SHORT and duration <= LONG then return 1 end
  return duration / SHOW
end

-- `path`: where its page will be.
function film.new(scene, run, path)
  local duration = run.stop - run.start
  local speed = film.speed_of(duration)
  local count = math.max(1, math.min(MOST, math.ceil(duration / speed * RATE)))
  return setmetatable({ scene = scene, sim = run.sim, start = run.start, stop = run.stop, speed = speed,
    path = path, next = 0, looks = 0, fired = 0, numbers = 0,
    count = duration > 0 and count or 0, frames = {}, jumps = {},
    recorder = run.sim:recorder({}, math.huge) }, Film)
end

-- The time of frame k, from 0 to count; the last one is the stop itself.
local function time_of(self, k)
  if k >= self.count then return self.stop end
  return self.start + (self.stop - self.start) * (k / self.count)
end

-- The jumps since the last frame come before what follows.
local function add_jumps(self)
  if #self.jumps <= MOST_JUMPS then
    for _, jump in ipairs(self.jumps) do
      if self.frames[#self.frames].time ~= jump.time then table.insert(self.frames, jump.before) end
      table.insert(self.frames, jump.after)
    end
  end
  self.jumps = {}
end

-- Adds the next frame.
local function add(self, time, commands)
  add_jumps(self)
  table.insert(self.frames, { time = time, commands = commands })
  for _, command in ipairs(commands) do self.numbers = self.numbers + #command + 4 end
  names.fail_if(self.numbers > MOST_NUMBERS, "too much for one page: %d pictures to t = %t have more than 10 million "
    .. "numbers; draw less, or run for a shorter time", #self.frames, time)
  self.next, self.looks = self.next + 1, 0
end

local function same_command(a, b)
  if a.op ~= b.op or a.style ~= b.style or a.text ~= b.text or #a ~= #b then return false end
  for k = 1, #a do
    if a[k] ~= b[k] then return false end
  end
  return true
end

local function same_picture(a, b)
  for i = 1, math.max(#a, #b) do
    if not (a[i] and b[i] and same_command(a[i], b[i])) then return false end
  end
  return true
end

-- Keeps both sides of an instant, if the picture changed there.
local function keep_jump(self, t, before, after)
  if same_picture(before, after) then return end
  local function frame(commands) return { time = t, commands = commands } end
  table.insert(self.jumps, { time = t, before = frame(before), after = frame(after) })
end

-- Called when a step has ended at t. The updates that are due there run in the next step. `before`: the end of the step
-- before, { time =, picture = }; returns this one.
local function take(self, t, ctx, before)
  if before and t == before.time then return before end
  local fired = #self.recorder.events
  if before and before.picture and fired > self.fired then
    keep_jump(self, before.time, before.picture, self.scene:picture(self.sim:state_at(before.time)))
  end
  self.fired = fired
  while self.next <= self.count and time_of(self, self.next) < t do
    local at = time_of(self, self.next)
    add(self, at, self.scene:picture(self.sim:state_at(at)))
  end
  local due = self.next <= self.count and time_of(self, self.next) == t
  local picture = (due or self.looks < MOST_LOOKS) and self.scene:picture(ctx) or nil
  self.looks = self.looks + 1
  if due then add(self, t, picture) end
  return { time = t, picture = picture }
end

local function take_last(self, before, ctx)
  if before.picture then keep_jump(self, before.time, before.picture, self.scene:picture(ctx)) end
  if self.frames[1] then add_jumps(self) end
end

-- Calls take or take_last; after the first error of a draw function, nothing.
local function attempt(self, take_some, ...)
  if self.failure then return nil end
  local ok, result = pcall(take_some, self, ...)
  if not ok then self.failure, self.failed_at = tostring(result), self.sim.context.time end
  return ok and result or nil
end

local ends_advance = { reached_watch = true, halted = true }

-- Advances the run and takes its pictures; returns the status, or raises the error, of sim:advance_to.
function Film:advance_to(stop)
  local before, last
  while self.next <= self.count and time_of(self, self.next) < self.sim.context.time do -- a run that was resumed
    self.next = self.next + 1
  end
  for t, ctx in self.sim:steps(stop) do
    before, last = attempt(self, take, t, ctx, before), ctx
    if ends_advance[self.sim.status.reason] then break end
  end
  if before then attempt(self, take_last, before, last) end
  local status = self.sim.status
  if status.reason == "interrupted" and self.failed_at == status.time then self.failure = nil end -- by the same signal
  return status
end

-- Adds the present state if no picture was taken: the run ended in its first handlers.
function Film:take_present()
  if not self.frames[1] then
    attempt(self, function() add(self, self.sim.context.time, self.scene:picture(self.sim.inner.seen)) end)
  end
end

return film
