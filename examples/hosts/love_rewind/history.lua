-- The last frames of a run: a ring of saves in one block of memory, which never grows.
local ffi = require "ffi"
local engine = require "engine"

local c, check = engine.c, engine.check

jit.off(true, true) -- load may call functions of the model

local history = {}
history.__index = history

-- `frames` saves of the initialized simulator `sim`. No save is larger than save_bound says.
function history.new(sim, frames)
  local room = tonumber(c.sal_simulator_save_bound(sim))
  return setmetatable({
    sim = sim, frames = frames, room = room, first = 0, count = 0,
    bytes = ffi.new("uint8_t[?]", frames * room),
    sizes = ffi.new("size_t[?]", frames),
    places = ffi.new("double[?]", 2 * frames), -- for drawings
  }, history)
end

local function slot(self, i) return (self.first + i) % self.frames end

-- Keeps the present state as the newest; the oldest goes when the ring is full. x and y are for drawings.
function history:push(x, y)
  if self.count == self.frames then
    self.first, self.count = slot(self, 1), self.count - 1
  end
  local at = slot(self, self.count)
  check(c.sal_simulator_save_within(self.sim, self.bytes + at * self.room, self.room, self.sizes + at))
  self.places[2 * at], self.places[2 * at + 1] = x, y
  self.count = self.count + 1
end

-- Drops the newest state and returns to the one before it. False at the oldest.
function history:back()
  if self.count < 2 then return false end
  self.count = self.count - 1
  local at = slot(self, self.count - 1)
  check(c.sal_simulator_load(self.sim, self.bytes + at * self.room, self.sizes[at]))
  return true
end

-- x and y of state i, from 0 for the oldest.
function history:place(i)
  local at = slot(self, i)
  return self.places[2 * at], self.places[2 * at + 1]
end

return history
