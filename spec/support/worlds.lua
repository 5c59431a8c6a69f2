-- A random scheme (schemes.lua) brought to life twice, in the engine and in its naive twin, and compared after every
-- deed: the log of handlers with the bits they saw, statuses, failures, counters, state.
local saltus = require "saltus"
local twin = require "spec.support.twin"

local worlds = {}

local function answer(how, count)
  if how == "did_nothing" then return saltus.did_nothing end
  if how == "terminate" then return saltus.terminate("enough " .. count) end
  if how == "fail" then return saltus.fail("broken " .. count) end
  if how == "error" then error("raised " .. count, 0) end
  return nil
end

-- The bits; but roots that are located agree to rounding only.
local function exact(v) return ("%a"):format(v) end
local function rounded(v) return ("%.9f"):format(math.abs(v) < 1e-9 and 0 or v) end

local function handler(world, p, e)
  local calls, number = 0, world.number
  return function(ctx, next, event)
    if e.kind == "publish" then next, event = nil, next end
    calls = calls + 1
    world.log[#world.log + 1] = ("%s.%s at %s n %g u %g m %g next %g count %g x %s"):format(p.name, e.name,
      number(ctx.time), ctx.n, ctx.u, ctx.m, next and next.n or -1, e.trigger == "every" and event.count or -1,
      p.x and number(ctx.x) or "-")
    if next then
      next.n = (e.a * ctx.n + e.b * ctx.u + next.m) % 97
      next.m = next.m + 1
      if e.again then next.alarm = ctx.time + e.again end
      if e.alarm then next.alarm = ctx.time + e.alarm end
      if e.jump and e.kind == "unrestricted_update" then next.x = e.jump end
      if e.turn then next.turn = e.turn * ctx.turn end
    end
    return answer(e.plan[calls], calls)
  end
end

local function event_of(world, p, e)
  local spec = { name = e.name }
  if e.kind ~= "none" then spec[e.kind] = handler(world, p, e) end
  if e.trigger == "every" then
    spec.every, spec.offset = e.every, e.offset
  elseif e.trigger == "variable" then
    spec.next_time = "alarm"
  elseif e.trigger == "next_time" then -- a while from now or the next quarter, never while n is a multiple of 5
    spec.next_time = function(ctx)
      if ctx.n % 5 == 0 then return nil end
      return e.after and ctx.time + e.after or (math.floor(ctx.time * 4 + 1e-6) + 1) / 4
    end
  elseif e.trigger == "witness" then
    spec.witness = function(ctx) return ctx.x - e.level end
    spec.direction = e.direction
  else
    spec.at = e.trigger
  end
  if e.guard then spec.when = function(ctx) return ctx.n % e.guard[1] ~= e.guard[2] end end
  return spec
end

local function system_of(world, p)
  local system = { name = p.name, inputs = { { "u", 0 } }, events = {},
    discrete = { { "n", p.n }, { "m", 0 }, { "alarm", p.alarm }, { "turn", 1 } } }
  if p.x then
    system.z = { { "x", p.x } }
    system.derivatives = function(ctx, dot) dot.x = p.rate * ctx.turn end
  end
  for i, e in ipairs(p.events) do system.events[i] = event_of(world, p, e) end
  return system
end

local function systems_of(world, scheme)
  local systems = {}
  for i, p in ipairs(scheme.parts) do systems[i] = system_of(world, p) end
  return systems
end

local function monitor_of(world, scheme, time)
  local calls = 0
  return function(ctx)
    calls = calls + 1
    world.log[#world.log + 1] = "monitor " .. world.number(time(ctx))
    return answer(scheme.monitor[calls], calls)
  end
end

local function options_of(scheme)
  local options = { start_time = scheme.start, max_events_per_instant = 5,
    publish_every_step = scheme.publish_every_step,
    publish_at_initialization = scheme.publish_at_initialization }
  if scheme.max_step then
    options.integrator, options.max_step, options.fixed_step = "explicit_euler", scheme.max_step, true
    options.isolation = scheme.isolation
  end
  return options
end

-- ---- the engine ----

local counters = { "steps", "publishes", "discrete_updates", "unrestricted_updates" }

function worlds.engine(scheme)
  local world = { log = {}, number = scheme.isolation and rounded or exact }
  local diagram = saltus.diagram "scheme"
  for _, system in ipairs(systems_of(world, scheme)) do diagram:add(saltus.system(system)) end
  for _, wire in ipairs(scheme.wires) do diagram:connect(wire[1], wire[2]) end
  local sim = saltus.simulator(diagram, options_of(scheme))
  local watch = monitor_of(world, scheme, function(ctx) return ctx.time end)
  function world.try(method, ...)
    local fine, status = pcall(sim[method], sim, ...)
    if fine then return status end
    if not sim.failure then error(status, 0) end
    if sim.failure.reason == "events_accumulate" and sim.failure.count > 0 then return { gathers = true } end
    if sim.failure.reason == "events_accumulate" then return { reason = "failed", accumulates = true } end
    return { reason = "failed", event = sim.failure.event, system = sim.failure.system, time = sim.failure.time,
      message = tostring(sim.failure.error):gsub(" %([ia][nt] .*", "") }
  end
  function world.set(path, v) sim.context[path] = v end
  function world.get(path) return sim.context[path] end
  function world.watch(on) sim.monitor = on and watch or nil end
  function world.time() return sim.context.time end
  function world.counter(name) return sim.stats[name] end
  return world
end

-- ---- the twin ----

local function everything(sim)
  local parts = {}
  for _, part in ipairs(sim.parts) do parts[part] = true end
  return parts
end

function worlds.twin(scheme)
  local world = { log = {}, number = scheme.isolation and rounded or exact }
  local options = options_of(scheme)
  options.window = 1e-8 * (scheme.max_step or 1)
  local sim = twin.new(systems_of(world, scheme), scheme.wires, options)
  local watch = monitor_of(world, scheme, function() return sim.t end)
  function world.try(method, ...)
    local argument = ...
    if type(argument) == "table" then argument = argument.suppress_initialization_events end
    local status = sim[method](sim, argument, select(2, ...))
    if status and status.accumulates then status.time = nil end
    return status
  end
  function world.set(path, v)
    local name, variable = path:match "(%w+)%.(%w+)"
    sim.parts[name].now[variable] = v
    if sim.ready then
      sim:ask_readers(everything(sim))
      sim:heed_guards()
    end
  end
  function world.get(path)
    local name, variable = path:match "(%w+)%.(%w+)"
    return sim.parts[name].now[variable]
  end
  function world.watch(on) sim.monitor = on and watch or nil end
  function world.time() return sim.t end
  function world.counter(name) return sim.stats[name] end
  return world
end

-- ---- both ----

local function perform(world, deed)
  local what, first, second = deed[1], deed[2], deed[3]
  if what == "advance" then return first >= world.time() and world.try("advance_to", first) or nil end
  if what == "pending" then return world.try "advance_pending_events" end
  if what == "initialize" then return world.try("initialize", { suppress_initialization_events = first }) end
  if what == "demand" then return world.try("demand", first) end
  if what == "schedule" then
    local result = world.try("schedule", world.time() + second, first)
    return type(result) == "table" and result or nil -- no handle
  end
  if what == "set" then return world.set(first, second) end
  return world.watch(first)
end

local function show(number, v) return type(v) == "number" and number(v) or tostring(v) end

local function report(world, scheme, status)
  local lines = {}
  for _, line in ipairs(world.log) do lines[#lines + 1] = line end
  world.log = {}
  if status then
    for _, field in ipairs { "reason", "time", "event", "system", "message", "accumulates" } do
      local v = rawget(status, field)
      lines[#lines + 1] = field .. " " .. show(world.number, v ~= "" and v or nil)
    end
  end
  lines[#lines + 1] = "at " .. world.number(world.time())
  for _, p in ipairs(scheme.parts) do
    for _, name in ipairs { "n", "m", "alarm", p.x and "x" } do
      lines[#lines + 1] = p.name .. "." .. name .. " " .. show(world.number, world.get(p.name .. "." .. name))
    end
  end
  for _, name in ipairs(counters) do lines[#lines + 1] = name .. " " .. world.counter(name) end
  return lines
end

-- nil when both agree, else where they part and what each says there. A witness whose firings accumulate ends it: when
-- that is so is outside the twin's scope. Then the second result is true.
function worlds.differ(scheme)
  local both = { worlds.engine(scheme), worlds.twin(scheme) }
  for _, world in ipairs(both) do
    world.watch(next(scheme.monitor) ~= nil)
  end
  for i, deed in ipairs(scheme.deeds) do
    local status = perform(both[1], deed)
    if status and rawget(status, "gathers") then return nil, true end
    local a = report(both[1], scheme, status)
    local b = report(both[2], scheme, perform(both[2], deed))
    for k = 1, math.max(#a, #b) do
      if a[k] ~= b[k] then
        return ("deed %d, line %d: the engine says %q, the twin %q\nengine:\n  %s\ntwin:\n  %s"):format(i, k,
          tostring(a[k]), tostring(b[k]), table.concat(a, "\n  "), table.concat(b, "\n  "))
      end
    end
  end
  return nil
end

return worlds
