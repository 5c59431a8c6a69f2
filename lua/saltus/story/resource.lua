-- Resources: a number of seats that stories request, have and release.
--
--   local desk = s:resource { name = "desk", capacity = 2 }
--   local seat = s:wait_until(desk:request { rank = 1 }, { within = 5 })
--   s:wait(3)
--   seat:release()
local condition = require "saltus.story.condition"
local line = require "saltus.story.line"
local names = require "saltus.util.names"
local queue_statistics = require "saltus.story.queue_statistics"

local resource = {}

local Resource = { __name = "saltus.resource", serves_any = false, has_other_side = false }
local Seat = line.new_request_kind()
local Lost = condition.new_kind "lost"

function Resource:__index(key)
  if key == "statistics" then return Resource.count(self) end
  return Resource[key]
end

function resource.new(host, given)
  given = line.options(given, { "capacity", "name" }, "resource")
  local self = setmetatable({ host = host, capacity = given.capacity or 1, used = 0, holders = {}, granted = 0,
    use = queue_statistics.mean(host.run.time, 0) }, Resource)
  names.check(self.capacity // 1 == self.capacity, self.capacity, "resource: capacity must be a whole number of seats")
  self.line = line.new(host)
  line.register(host, self, given.name, "resource")
  return self
end

-- A condition, and the seat when it is met. rank: the lowest is served first; preempt = true: takes the seat of a story
-- with a higher rank, the highest first, if none is free.
function Resource:request(options)
  local seat = line.request(Seat, self, self.line, options, { "rank", "preempt" }, "request")
  seat.preempt = options and options.preempt or false
  return seat
end

-- Waits for a seat and returns it; `s` may be the first argument.
function Resource:take(...)
  local options, waiting = line.split_options((line.without_story(self.host, ...)))
  return line.wait_for(self.host, self:request(options), waiting)
end

-- The seat that a request with this rank may take away.
local function victim(self, request)
  local worst
  for seat in pairs(self.holders) do
    if seat.rank > request.rank and (not worst or seat.rank > worst.rank
      or seat.rank == worst.rank and seat.number > worst.number) then
      worst = seat
    end
  end
  return worst
end

local function set_used(self, change)
  self.used = self.used + change
  self.use:set(self.host.run.time, self.used)
end

local function remove(self, seat, state)
  self.holders[seat] = nil
  seat.state, seat.is_lost = state, state == "lost"
  set_used(self, -1)
end

-- The line asks; with preemption a seat is made free.
function Resource:can(request)
  if self.used < self.capacity then return true end
  local seat = request.preempt and victim(self, request)
  if not seat then return false end
  remove(self, seat, "lost")
  self.host.kernel:wake_list(seat)
  return true
end

local function note_holder(host, seat)
  local id = seat.story:id()
  local seats = host.seats_of[id]
  if not seats then
    seats = {}
    host.seats_of[id] = seats
    seat.story:hold_seats(true)
  end
  seats[#seats + 1] = seat
end

local function forget_holder(host, seat)
  local seats = host.seats_of[seat.story:id()] or {}
  for i = #seats, 1, -1 do
    if seats[i] == seat then return table.remove(seats, i) end
  end
end

function Resource:grant(seat)
  self.granted = self.granted + 1
  seat.number = self.granted
  self.holders[seat] = true
  set_used(self, 1)
  note_holder(self.host, seat)
end

function Resource:give_back(seat)
  forget_holder(self.host, seat)
  remove(self, seat, "new")
  self:serve_all()
end

function Resource:serve_all() self.line:serve(self) end

-- Counts, means weighted with time, and waiting times since the resource was made.
function Resource:count()
  local out = self.line:statistics()
  out.in_use = self.used
  out.mean_use = self.use:at(self.host.run.time)
  out.utilisation = out.mean_use / self.capacity
  return out
end

-- ---- seats ----

-- Gives the seat back. It does nothing for one that was lost or given back.
function Seat:release()
  if self.state ~= "granted" then return end
  self.owner.host.kernel:check_acting()
  forget_holder(self.owner.host, self)
  remove(self.owner, self, "released")
  self.owner:serve_all()
end

Seat.__close = Seat.release

function Seat:value() return self end

function Seat:text() return ("a seat of %q"):format(self.owner.name) end

-- A condition: another story took the seat away.
function Seat:lost() return setmetatable({ seat = self }, Lost) end

function Lost:arm(_, story, index)
  if self.seat.state == "lost" then return true end
  story:arm_list(self.seat, index)
end

function Lost:text() return ("the loss of a seat of %q"):format(self.seat.owner.name) end

names.with_colon(Resource, Resource.__name, { "request", "take" })
names.closed(Resource, "a resource", nil, { "request", "take", "statistics", "name", "capacity" })

return resource
