-- A recorded model, built through the public Lua face: a saltus.system per subsystem, a diagram when there are many.
-- Every element is a scalar named as in the expressions (xc1, xd2, xa1); `u` is an input, `y` an output.
local expression = require "conformance.expression"

local drake_model = {}

local directions = {
  positive_then_non_positive = "falling", negative_then_non_negative = "rising", crosses_zero = "crossing",
  none = "none",
}
local handlers = { publish = "publish", discrete = "discrete_update", unrestricted = "unrestricted_update" }
local triggers = { init = "initialization", per_step = "step" }

-- Recorded ids hold dots, names are identifiers; `taken` keeps two ids from becoming one name.
local function identifier(id, taken)
  local name = id:gsub("[^%w_]", "_"):gsub("^(%d)", "_%1")
  if not load("local " .. name) then name = name .. "_" end
  while taken[name] do name = name .. "_" end
  taken[name] = true
  return name
end

-- How an expression's names are read in a closure of subsystem `part`.
local function reader(part)
  return function(name)
    if name == "t" then return "e.time" end
    local index = name:match "^u(%d+)$"
    if index then return part.nu == 1 and "e.u" or ("e.u[%s]"):format(index) end
    return "e." .. name
  end
end

local function compile_all(texts, name_of)
  local list = {}
  for i, text in ipairs(texts) do list[i] = expression.compile(text, name_of) end
  return list
end

-- The values that a log entry shows: what the handler saw.
local function vector(ctx, prefix, size)
  local values = {}
  for i = 1, size do values[i] = ctx[prefix .. i] end
  return values
end

local function inputs(ctx, part)
  if part.nu == 1 then return { ctx.u } end
  local values = {}
  for i = 1, part.nu do values[i] = ctx.u[i] end
  return values
end

function drake_model.visible(part, ctx, entry)
  if part.xc then entry.xc = vector(ctx, "xc", #part.xc.init) end
  if part.xd then entry.xd = vector(ctx, "xd", #part.xd) end
  if part.xa then entry.xa = vector(ctx, "xa", #part.xa) end
  return entry
end

local function entries(prefix, defaults, first, last)
  local list = {}
  for i = first or 1, last or #defaults do list[#list + 1] = { prefix .. i, defaults[i] + 0.0 } end
  return list
end

-- did_nothing, reached_termination or failed, as a handler says it here.
function drake_model.outcome(saltus, rule, path_of)
  if not rule or rule.is == "succeeded" then return nil end
  if rule.is == "did_nothing" then return saltus.did_nothing end
  local make = rule.is == "failed" and saltus.fail or saltus.terminate
  return make(rule.message or "", rule.blames and path_of(rule.blames) or nil)
end

local function event_of(built, part, event, taken)
  local saltus = built.saltus
  local name_of = reader(part)
  local status = expression.status(event.status, name_of)
  local updates = {}
  for target, text in pairs(event.update or {}) do
    updates[#updates + 1] = { target = target, value = expression.compile(text, name_of) }
  end
  local made = { name = identifier(event.id, taken) }

  local function handle(ctx, next)
    local rule = status(ctx)
    local entry = { t = ctx.time, sys = part.name, event = event.id, kind = event.kind, trigger = event.trigger }
    drake_model.visible(part, ctx, entry)
    if part.nu and part.nu > 0 then entry.u = inputs(ctx, part) end
    if rule and rule.is ~= "succeeded" then entry.returns = rule.is end
    built.log[#built.log + 1] = entry
    for _, update in ipairs(updates) do next[update.target] = update.value(ctx) end
    return drake_model.outcome(saltus, rule, built.path_of)
  end

  if event.trigger == "periodic" then
    made.every, made.offset = event.period, event.offset or 0
  elseif event.trigger == "witness" then
    made.witness = expression.compile(event.expr, name_of)
    made.direction = directions[event.direction]
  else
    made.at = triggers[event.trigger]
  end
  if event.kind ~= "none" then made[handlers[event.kind]] = handle end
  built.event_names[part.name .. "\0" .. event.id] = made.name
  return made
end

-- A ball that rests: the ode is multiplied by a mode which on_zeno sets to 0, at the floor and without speed.
local function let_rest(description, part, rest)
  local ode = description.derivatives
  description.discrete = description.discrete or {}
  table.insert(description.discrete, { "mode", 1 })
  description.derivatives = function(ctx, dot)
    if ctx.mode == 0 then
      for i = 1, #part.xc.init do dot["xc" .. i] = 0 end
      return
    end
    ode(ctx, dot)
  end
  for i, event in ipairs(part.events) do
    if event.id == rest.event then
      description.events[i].on_zeno = function(_, next) next.mode, next.xc1, next.xc2 = 0, rest.floor, 0 end
    end
  end
end

local function system_of(built, part, name, rest)
  local name_of = reader(part)
  local description = { name = name, events = {} }
  if part.xc then
    local init = part.xc.init
    local nq, nv = part.xc.nq or 0, part.xc.nv or 0
    description.q = entries("xc", init, 1, nq)
    description.v = entries("xc", init, nq + 1, nq + nv)
    description.z = entries("xc", init, nq + nv + 1)
    local ode = compile_all(part.xc.ode, name_of)
    description.derivatives = function(ctx, dot)
      for i = 1, #ode do dot["xc" .. i] = ode[i](ctx) end
    end
  end
  if part.xd then description.discrete = entries("xd", part.xd) end
  if part.xa then description.abstract = entries("xa", part.xa) end
  if part.nu and part.nu > 0 then
    local zeros = {}
    for i = 1, part.nu do zeros[i] = 0 end
    description.inputs = { { "u", part.nu == 1 and 0 or zeros } }
  end
  if part.y then
    local y = compile_all(part.y, name_of)
    description.outputs = { { "y", #y == 1 and y[1] or function(ctx)
      local values = {}
      for i = 1, #y do values[i] = y[i](ctx) end
      return values
    end, size = #y } }
  end
  local taken = {}
  for i, event in ipairs(part.events or {}) do description.events[i] = event_of(built, part, event, taken) end
  if rest and rest.sys == part.name then let_rest(description, part, rest) end
  return built.saltus.system(description)
end

-- Answers { system, log, read(context) -> state by subsystem }. `rest` names the ball that may come to rest.
function drake_model.build(saltus, model, rest)
  local built = { saltus = saltus, log = {}, event_names = {} }
  local names, taken = {}, {}
  local single = #model.subsystems == 1 and not (model.connections and model.connections[1])
  for _, part in ipairs(model.subsystems) do names[part.name] = identifier(part.name, taken) end
  function built.path_of(recorded) return single and "" or names[recorded] end
  function built.name_of(recorded) return names[recorded] or recorded end

  local diagram = not single and saltus.diagram "recorded"
  for _, part in ipairs(model.subsystems) do
    local system = system_of(built, part, names[part.name], rest)
    if single then built.system = system else diagram:add(system, names[part.name]) end
  end
  for _, wire in ipairs(model.connections or {}) do
    diagram:connect(names[wire.from] .. ".y", names[wire.to] .. ".u")
  end
  built.system = built.system or diagram

  function built.read(context)
    local state = {}
    for _, part in ipairs(model.subsystems) do
      if part.xc or part.xd or part.xa then
        local prefix = single and "" or names[part.name] .. "."
        local view = setmetatable({}, { __index = function(_, name) return context[prefix .. name] end })
        state[part.name] = drake_model.visible(part, view, {})
      end
    end
    return state
  end
  return built
end

return drake_model
