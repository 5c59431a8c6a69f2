-- What is drawn from a seed: how a case is integrated, cut into pieces and disturbed. Every choice has a stream of its
-- own, so that forcing one leaves the others as they are: the key to small reproductions.
local random = require "spec.support.random"
local numbers = require "spec.support.outside.numbers"
local sorted_keys = require "spec.support.sorted_keys"

local plan = {}
plan.__index = plan

-- `order`: polynomials in time of this degree it integrates to rounding.
plan.methods = {
  auto = { order = 5 }, tsitouras5 = { order = 5 }, dormand_prince5 = { order = 5 }, dormand_prince8 = { order = 8 },
  runge_kutta5 = { order = 5 }, runge_kutta3 = { order = 3 }, bogacki_shampine3 = { order = 3 },
  implicit_euler = { order = 1, implicit = true }, velocity_implicit_euler = { order = 1, implicit = true },
  radau1 = { order = 1, implicit = true }, radau3 = { order = 3, implicit = true },
  radau5 = { order = 5, implicit = true }, rodas4 = { order = 4, implicit = true },
  explicit_euler = { order = 1, fixed = true }, semi_explicit_euler = { order = 1, fixed = true },
  runge_kutta2 = { order = 2, fixed = true }, runge_kutta4 = { order = 4, fixed = true },
  velocity_verlet = { order = 2, fixed = true }, symplectic4 = { order = 4, fixed = true },
}
local common = { "auto", "tsitouras5", "dormand_prince5", "dormand_prince8" }
local names = sorted_keys(plan.methods)

-- Polynomials of a degree it follows exactly are any method's; smooth functions need order 3 and control of the
-- error. Not radau3: Newton's iteration, as in Drake, leaves it half the accuracy off in every step, which adds up.
local function suits(name, degree)
  local m = plan.methods[name]
  if degree == math.huge then return m.order >= 3 and name ~= "radau3" and (not m.fixed or name == "runge_kutta4") end
  return m.order >= degree
end

local function weighted(r, list)
  local total = 0
  for i = 1, #list, 2 do total = total + list[i] end
  local u = r:real() * total
  for i = 1, #list, 2 do
    u = u - list[i]
    if u < 0 then return list[i + 1] end
  end
  return list[#list]
end

local draws = {
  integrator = function(r, p)
    for _ = 1, 100 do
      local name = r:chance(0.4) and r:pick(common) or r:pick(names)
      if suits(name, p.family.degree) then return name end
    end
    return "auto"
  end,
  -- Low orders at high accuracies are right, but take for ever where the flow is not a polynomial.
  accuracy = function(r, p)
    local least = p.family.degree < math.huge and -10 or p.method.order <= 3 and -6 or p.method.implicit and -8 or -10
    return r:chance(0.25) and 1e-6 or 10.0 ^ r:integer(least, -3)
  end,
  start = function(r)
    if r:chance(0.3) then return 0 end
    return r:pick { 1, 100, 1e4, 1e6, 1e8, 1.7e9, -1, -100, -1e6, -1e9, 0.1, 1 / 3, 1e9 * math.pi / 2, -1e5 / 7,
      numbers.decades(r, -3, 9) }
  end,
  isolation = function(r, p) return weighted(r, { 8, "default", 1, "window", p.family.ends and 1 or 0, "ends" }) end,
  event_state = function(r) return r:chance(0.85) and "interpolate" or "reintegrate" end,
  interior = function(r, p) return p.family.interior or not r:chance(0.15) end,
  dense_output = function(r) return r:chance(0.9) and "own" or "hermite" end,
  characteristic_time = function(r) return r:chance(0.85) and 1 or numbers.decades(r, -3, 1) end,
  direction = function(r) return r:pick { "crossing", "directed" } end,
  kind = function(r) return r:pick { "any", "any", "publish", "discrete_update", "unrestricted_update", "none" } end,
  ticks = function(r) return r:chance(0.5) and 0 or r:integer(1, 3) end,
  timer = function(r) return r:chance(0.15) end,
  shouts = function(r) return r:chance(0.15) end,
  cuts = function(r) return r:pick { "none", "none", "random", "near", "near", "mixed" } end,
  deeds = function(r) return weighted(r, { 6, "none", 1, "save", 1, "fresh", 1, "clone", 1, "fork", 1, "rewind", 1,
    "touch",
    1, "switch", 1, "steps", 1, "pending", 1, "stumble", 1, "mixed" }) end,
  nest = function(r) return r:pick { 0, 0, 0, 1, 2, 3 } end,
  split = function(r) return r:chance(0.4) end,
}

-- In order: some look at those before them.
plan.keys = { "integrator", "accuracy", "start", "isolation", "event_state", "interior", "dense_output",
  "characteristic_time", "direction", "kind", "ticks", "timer", "shouts", "cuts", "deeds", "nest", "split" }

-- What a reproduction is made of when it does without a choice, in the order in which that is tried.
plan.plain = { { "deeds", "none" }, { "cuts", "none" }, { "shouts", false }, { "timer", false }, { "ticks", 0 }, {
  "nest", 0 },
  { "split", false }, { "start", 0 }, { "integrator", "tsitouras5" }, { "accuracy", 1e-6 }, { "isolation", "default" },
  { "event_state", "interpolate" }, { "interior", true }, { "dense_output", "own" }, { "characteristic_time", 1 },
  { "direction", "crossing" }, { "kind", "publish" } }

function plan:stream(key)
  local number = self.seed
  for i = 1, #key do number = (number * 31 + key:byte(i)) * 6364136223846793005 + 1442695040888963407 end
  return random.new(number)
end

function plan.draw(name, family, seed, forced)
  local p = setmetatable({ name = name, family = family, seed = seed, forced = forced or {} }, plan)
  for _, key in ipairs(plan.keys) do
    p[key] = draws[key](p:stream(key), p)
    if p.forced[key] ~= nil then p[key] = p.forced[key] end
    if key == "integrator" then p.method = plan.methods[p.integrator] end
  end
  -- Newton's iteration stops at the accuracy; only where nothing depends on the state is it exact.
  p.exact = p.method.order >= family.degree and (not p.method.implicit or family.degree <= 1)
  return p
end

-- The time from which a case is measured out: of any size, but nothing in it shorter than 2^16 ulp of the time.
function plan:scale(low, high)
  return math.max(numbers.decades(self:stream "scale", low or -2, high or 2), math.abs(self.start) * 2.0 ^ -36)
end

-- OUTSIDE_CASE, for this case again.
function plan:text()
  local words = { self.name .. ":" .. self.seed }
  for _, key in ipairs(plan.keys) do
    if self.forced[key] ~= nil then words[#words + 1] = key .. "=" .. tostring(self.forced[key]) end
  end
  return table.concat(words, " ")
end

-- All choices, to read.
function plan:tell()
  local words = {}
  for _, key in ipairs(plan.keys) do words[#words + 1] = key .. "=" .. tostring(self[key]) end
  return table.concat(words, " ")
end

local function value(text)
  if text == "true" or text == "false" then return text == "true" end
  return tonumber(text) or text
end

-- The inverse of text: family, seed, forced.
function plan.parse(text)
  local family, seed = text:match "^%s*([%w_]+):(%-?%d+)"
  if not family then error("OUTSIDE_CASE is family:seed [choice=value ...], got " .. text, 0) end
  local forced = {}
  for key, word in text:gmatch "(%w[%w_]*)=(%S+)" do forced[key] = value(word) end
  return family, math.tointeger(seed), forced
end

return plan
