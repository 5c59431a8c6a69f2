-- The reference's integrator: explicit schemes written out plainly, with Drake's step-size rules (absolute weights).
-- It predicts recorded step sequences; it is not meant to be fast.
local reference_steps = {}

-- Rows of a; weights b, in units of 1 / per, so that a constant rate is met to the last bit; embedded weights (error =
-- h * sum (b / per - embedded) k); order of the error estimate; the loosest accuracy the scheme allows.
local tableaus = {
  explicit_euler = { a = { {} }, c = { 0 }, b = { 1 } },
  runge_kutta2 = { a = { {}, { 1 } }, c = { 0, 1 }, b = { 1, 1 }, per = 2 },
  runge_kutta3 = { a = { {}, { 1 / 2 }, { -1, 2 } }, c = { 0, 1 / 2, 1 }, b = { 1, 4, 1 }, per = 6,
    embedded = { 0, 1, 0 }, order = 3, loosest = 0.1 },
  bogacki_shampine3 = { a = { {}, { 1 / 2 }, { 0, 3 / 4 }, { 2 / 9, 1 / 3, 4 / 9 } }, c = { 0, 1 / 2, 3 / 4, 1 },
    b = { 2, 3, 4, 0 }, per = 9, embedded = { 7 / 24, 1 / 4, 1 / 3, 1 / 8 }, order = 3, loosest = 0.1 },
  runge_kutta5 = { c = { 0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1 },
    a = { {}, { 1 / 5 }, { 3 / 40, 9 / 40 }, { 44 / 45, -56 / 15, 32 / 9 },
      { 19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729 },
      { 9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656 },
      { 35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84 } },
    b = { 12985, 0, 64000, 92750, -45927, 18656, 0 }, per = 142464,
    embedded = { 5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40 },
    order = 5, loosest = 1e-3 },
}

function reference_steps.knows(scheme) return scheme == "semi_explicit_euler" or tableaus[scheme] ~= nil end

-- One attempt from (t, x): returns the new state and the largest error; counts the evaluations.
local function attempt(s, t, x, h)
  local tableau, n = s.tableau, #x
  local stages = {}
  for i, row in ipairs(tableau.a) do
    local stage = {}
    for j = 1, n do
      local sum = 0
      for k, a in ipairs(row) do sum = sum + a * stages[k][j] end
      stage[j] = x[j] + h * sum
    end
    stages[i] = s.rhs(t + tableau.c[i] * h, stage)
  end
  local result, worst, per = {}, 0, tableau.per or 1
  for j = 1, n do
    local sum, error = 0, 0
    for i, b in ipairs(tableau.b) do
      sum = sum + b * stages[i][j]
      if tableau.embedded then error = error + (b / per - tableau.embedded[i]) * stages[i][j] end
    end
    result[j] = x[j] + h * (sum / per)
    local size = math.abs(h * error)
    if size ~= size or size > worst then worst = size end
  end
  s.evaluations = s.evaluations + #tableau.a
  return result, worst
end

-- v and z by Euler, then q with the new v.
local function semi_explicit(s, t, x, h)
  local f, result = s.rhs(t, x), {}
  for j = 1, #x do result[j] = s.is_q[j] and x[j] or x[j] + h * f[j] end
  f = s.rhs(t, result)
  for j = 1, #x do
    if s.is_q[j] then result[j] = x[j] + h * f[j] end
  end
  s.evaluations = s.evaluations + 2
  return result, 0
end

local function try(s, t, x, h)
  if s.scheme == "semi_explicit_euler" then return semi_explicit(s, t, x, h) end
  return attempt(s, t, x, h)
end

-- A look at (t + h) that counts nothing.
function reference_steps.look(s, t, x, h)
  local evaluations = s.evaluations
  local result = try(s, t, x, h)
  s.evaluations = evaluations
  return result
end

-- `recorded` is the settings' integrator or nil; rhs(t, x) returns a list.
function reference_steps.new(recorded, defaults, rhs, is_q)
  recorded = recorded or
    { scheme = "runge_kutta3", max_step_size = 0.1, target_accuracy = 1e-4, initial_step_size = 1e-4 }
  local tableau = tableaus[recorded.scheme]
  local s = { scheme = recorded.scheme, tableau = tableau, rhs = rhs, is_q = is_q }
  s.fixed = recorded.fixed_step or not (tableau and tableau.embedded)
  s.max = recorded.max_step_size
  s.initial = recorded.initial_step_size
  s.min = recorded.min_step_size or 0
  s.throw = recorded.throw_on_min_step ~= false
  if not s.fixed then
    s.accuracy = math.min(recorded.target_accuracy or defaults[recorded.scheme], tableau.loosest)
  end
  reference_steps.reset(s)
  return s
end

function reference_steps.reset(s)
  s.steps, s.evaluations, s.shrinkages = 0, 0, 0
  s.first, s.largest, s.smallest = nil, nil, nil
end

-- What initialize refuses, else nil.
function reference_steps.refuses(s)
  s.ideal = nil
  if s.max < s.min then return "the maximum step is smaller than the minimum step" end
  if s.initial and s.initial > s.max then return "the initial step is larger than the maximum step" end
  if s.initial and s.initial < s.min then return "the initial step is smaller than the minimum step" end
end

-- The size that the error requires: 0.9 of what would have met the accuracy, in steps worth the change.
local function asked_size(s, err, h, limited)
  local new
  if err ~= err or err == math.huge then
    new = 0.1 * h
  elseif err == 0 then
    new = 5 * h
  else
    new = 0.9 * h * (s.accuracy / err) ^ (1 / s.tableau.order)
  end
  if new > h and (limited or new < 1.2 * h) then new = h end
  if new < h then new = err <= s.accuracy and h or math.min(new, 0.9 * h) end
  return math.max(math.min(new, 5 * h), 0.1 * h)
end

-- The next size (nil: below the minimum), and whether the step is accepted: it is when nothing smaller is allowed.
local function next_size(s, err, h, limited, floor)
  local new = asked_size(s, err, h, limited)
  local accepted = new >= h
  if not accepted and floor.reached then return h, true end
  if not accepted and new < floor.size and s.throw then return nil end
  new = math.max(math.min(new, s.max), floor.size)
  floor.reached = new == floor.size
  return new, accepted or new >= h
end

-- The size to try: nearly the span is the span, never more than the maximum; then what rounding leaves joins the step.
local function size_to_try(s, wanted, span)
  local h = math.min(span < 1.001 * wanted and span or wanted, s.max)
  if h < span and span - h < 1e-9 * h then
    s.joined = true
    return span
  end
  return h
end

local function under_error_control(s, t, x, span)
  local floor = { size = math.max(s.min, 1e-14, 1e-14 * math.abs(t)), reached = false }
  local wanted = math.min(s.ideal or s.initial or 0.1 * s.max, s.max)
  while true do
    local limited, h = span < 0.95 * wanted, size_to_try(s, wanted, span)
    local result, err = try(s, t, x, h)
    local new, accepted = next_size(s, err, h, limited, floor)
    if not new then return nil, "a step smaller than the minimum is needed" end
    if accepted then
      if not limited then s.ideal = new end
      s.first = s.first or h
      if not s.smallest or (h < s.smallest and h < span) then s.smallest = h end
      return result, h
    end
    s.shrinkages = s.shrinkages + 1
    wanted = new
  end
end

-- A step of at most `span`: returns the new state and the size taken, or nil and why not.
function reference_steps.step(s, t, x, span)
  local result, h
  if s.fixed or span == 0 then
    result, h = try(s, t, x, span), span
  else
    result, h = under_error_control(s, t, x, span)
    if not result then return nil, h end
  end
  s.steps = s.steps + 1
  s.largest = math.max(s.largest or 0, h)
  return result, h
end

return reference_steps
