-- Tanks: an amount of something continuous that stories put and get, such as fuel.
--
--   local fuel = s:tank { name = "fuel", capacity = 200, level = 50 }
--   fuel:get(30, { within = 60 })
--   fuel:put(100)                    waits while there is no room
local line = require "saltus.story.line"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local queue_statistics = require "saltus.story.queue_statistics"

local tank = {}

local Tank = { __name = "saltus.tank" }
local Request = line.new_request_kind()

function Tank:__index(key)
  if key == "statistics" then return Tank.count(self) end
  return Tank[key]
end

-- The two ends of a tank, as owners of their lines: `sign` is what a request does to the level.
local End = { has_other_side = true }
End.__index = End

function tank.new(host, given)
  given = line.options(given, { "capacity", "name", "level" }, "tank")
  local capacity, level = given.capacity or math.huge, given.level or 0
  names.check(numerals.is_finite(level) and level >= 0 and level <= capacity, level,
    "tank: level must be a number from 0 to its capacity")
  local self = setmetatable({ host = host, capacity = capacity, level = level + 0.0,
    amount = queue_statistics.mean(host.run.time, level) }, Tank)
  self.getting = setmetatable({ tank = self, sign = -1, line = line.new(host) }, End)
  self.putting = setmetatable({ tank = self, sign = 1, line = line.new(host) }, End)
  line.register(host, self, given.name, "tank")
  return self
end

local function change(self, by)
  self.level = self.level + by
  self.amount:set(self.host.run.time, self.level)
end

local function serve_all(self)
  local before
  repeat
    before = self.level
    self.putting.line:serve(self.putting)
    self.getting.line:serve(self.getting)
  until self.level == before
end

function End:can(request)
  local level = self.tank.level + self.sign * request.amount
  return level >= 0 and level <= self.tank.capacity
end

function End:grant(request) change(self.tank, self.sign * request.amount) end

function End:give_back(request)
  change(self.tank, -self.sign * request.amount)
  serve_all(self.tank)
end

function End:serve_all() serve_all(self.tank) end

local function new_request(self, own_end, amount, options, who)
  names.check(numerals.is_finite(amount) and amount >= 0 and amount <= self.capacity, amount,
    "%s: the amount must be a number from 0 to the capacity", who)
  local request = line.request(Request, own_end, own_end.line, options, { "rank" }, who)
  request.amount = amount
  return request
end

-- Conditions: the amount was taken, or put.
function Tank:request(amount, options) return new_request(self, self.getting, amount, options, "request") end

function Tank:offer(amount, options) return new_request(self, self.putting, amount, options, "offer") end

function Request:value() return self.amount end

function Request:text()
  return numerals.format(self.owner.sign < 0 and "%.6g of %q" or "room for %.6g in %q", self.amount,
    self.owner.tank.name)
end

local function wait_for(self, make, ...)
  local amount, given = line.without_story(self.host, ...)
  local options, waiting = line.split_options(given)
  return line.wait_for(self.host, make(self, amount, options), waiting)
end

function Tank:get(...) return wait_for(self, self.request, ...) end

function Tank:put(...) return wait_for(self, self.offer, ...) end

-- Of those that get; the mean level, and how many wait to put.
function Tank:count()
  local out = self.getting.line:statistics()
  out.level, out.mean_level = self.level, self.amount:at(self.host.run.time)
  out.putting, out.mean_putting = self.putting.line.count, self.putting.line.length:at(self.host.run.time)
  return out
end

names.with_colon(Tank, Tank.__name, { "request", "offer", "get", "put" })
names.closed(Tank, "a tank", nil, { "request", "offer", "get", "put", "level", "statistics", "name", "capacity" })

return tank
