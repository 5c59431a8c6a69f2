-- A generator of our own, so that a seed means the same everywhere.
local random = {}
random.__index = random

function random.new(seed) return setmetatable({ state = seed * 2862933555777941757 + 3037000493 }, random) end

-- Uniform in [0, 1).
function random:real()
  self.state = self.state * 6364136223846793005 + 1442695040888963407
  return ((self.state >> 11) ~ (self.state >> 43)) % 9007199254740992 / 9007199254740992
end

function random:integer(low, high) return low + math.floor(self:real() * (high - low + 1)) end

function random:chance(p) return self:real() < p end

function random:pick(list) return list[self:integer(1, #list)] end

return random
