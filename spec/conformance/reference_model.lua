-- The recorded model as plain tables, for the reference: parts with xc, xd, xa, an environment to read them in, and
-- the continuous state as one list.
local expression = require "conformance.expression"

local reference_model = {}

local trigger_order = { init = 1, per_step = 2, periodic = 3, witness = 4 }

local function copy(list)
  local result = {}
  for i, value in ipairs(list or {}) do result[i] = value + 0.0 end
  return result
end

local function prepare(event, part, position)
  local made = { event = event, part = part, position = position, rank = trigger_order[event.trigger], updates = {} }
  for target, text in pairs(event.update or {}) do
    local prefix, index = target:match "^(%a+)(%d+)$"
    made.updates[#made.updates + 1] =
      { prefix = prefix, index = tonumber(index), value = expression.compile(text) }
  end
  made.status = expression.status(event.status)
  if event.trigger == "periodic" then
    made.period, made.offset = event.period + 0.0, (event.offset or 0) + 0.0
  elseif event.trigger == "witness" then
    made.witness = expression.compile(event.expr)
  end
  return made
end

function reference_model.new(recorded)
  local model = { parts = {}, events = {}, t = 0.0 }
  local by_name = {}
  for i, sub in ipairs(recorded.subsystems) do
    local part = { name = sub.name, index = i, nu = sub.nu or 0, sub = sub,
      xc = copy(sub.xc and sub.xc.init), xd = copy(sub.xd), xa = copy(sub.xa), ode = {}, y = {}, sources = {} }
    for j, text in ipairs(sub.xc and sub.xc.ode or {}) do part.ode[j] = expression.compile(text) end
    for j, text in ipairs(sub.y or {}) do part.y[j] = expression.compile(text) end
    model.parts[i], by_name[sub.name] = part, part
    for j, event in ipairs(sub.events or {}) do model.events[#model.events + 1] = prepare(event, part, j) end
  end
  for _, wire in ipairs(recorded.connections or {}) do by_name[wire.to].source = by_name[wire.from] end
  -- Inside a kind: subsystem, trigger, declaration.
  table.sort(model.events, function(a, b)
    if a.part ~= b.part then return a.part.index < b.part.index end
    if a.rank ~= b.rank then return a.rank < b.rank end
    return a.position < b.position
  end)
  return setmetatable(model, { __index = reference_model })
end

-- What an expression of `part` reads: t, xc1.., xd1.., xa1.., u1.. at the model's present state.
function reference_model:environment(part)
  return setmetatable({ t = self.t, time = self.t }, { __index = function(_, name)
    local prefix, index = name:match "^(%a+)(%d+)$"
    index = tonumber(index)
    if prefix == "u" then
      if not part.source then return 0.0 end
      return part.source.y[index](self:environment(part.source))
    end
    return prefix and part[prefix] and part[prefix][index]
  end })
end

function reference_model:inputs(part)
  local e, values = self:environment(part), {}
  for i = 1, part.nu do values[i] = e["u" .. i] end
  return values
end

-- The continuous state as one list, and back.
function reference_model:continuous()
  local x = {}
  for _, part in ipairs(self.parts) do
    for _, value in ipairs(part.xc) do x[#x + 1] = value end
  end
  return x
end

function reference_model:set_continuous(x)
  local at = 0
  for _, part in ipairs(self.parts) do
    for i = 1, #part.xc do
      at = at + 1
      part.xc[i] = x[at]
    end
  end
end

-- Which elements of that list are configuration.
function reference_model:configuration()
  local is_q = {}
  for _, part in ipairs(self.parts) do
    for i = 1, #part.xc do is_q[#is_q + 1] = i <= (part.sub.xc.nq or 0) end
  end
  return is_q
end

function reference_model:derivatives()
  local f = {}
  for _, part in ipairs(self.parts) do
    local e = self:environment(part)
    for _, ode in ipairs(part.ode) do f[#f + 1] = ode(e) end
  end
  return f
end

-- What is read at (t, x); the present state stays.
function reference_model:at(t, x, read)
  local t0, x0 = self.t, self:continuous()
  self.t = t
  self:set_continuous(x)
  local answer = read()
  self.t = t0
  self:set_continuous(x0)
  return answer
end

local function shown(part, entry)
  if part.sub.xc then entry.xc = copy(part.xc) end
  if part.sub.xd then entry.xd = copy(part.xd) end
  if part.sub.xa then entry.xa = copy(part.xa) end
  return entry
end

function reference_model:entry(made, returns)
  local event, part = made.event, made.part
  local entry = { t = self.t, sys = part.name, event = event.id, kind = event.kind, trigger = event.trigger,
    returns = returns }
  if part.nu > 0 then entry.u = self:inputs(part) end
  return shown(part, entry)
end

function reference_model:state()
  local state = {}
  for _, part in ipairs(self.parts) do
    if part.sub.xc or part.sub.xd or part.sub.xa then state[part.name] = shown(part, {}) end
  end
  return state
end

function reference_model:snapshot()
  local kept = { t = self.t }
  for i, part in ipairs(self.parts) do kept[i] = { xc = copy(part.xc), xd = copy(part.xd), xa = copy(part.xa) } end
  return kept
end

function reference_model:restore(kept)
  self.t = kept.t
  for i, part in ipairs(self.parts) do part.xc, part.xd, part.xa = kept[i].xc, kept[i].xd, kept[i].xa end
end

return reference_model
