-- Random schemes for the naive twin: plain tables of parts, events, connections and calls, so that
-- one that fails can be made smaller and printed.
local random = require "spec.support.random"

local schemes = {}

local periods = { 0.1, 0.1, 0.1, 0.2, 0.25, 0.3, 0.7, 1 / 3, 0.05, 0.015, math.pi / 10, 1 / 30 }
local offsets = { 0, 0, 0, 0, 0.1, 0.3, 0.25, 0.05, -0.1, 1 / 7 }
local starts = { 0, 0, 0, 0, 0.3, -1.7, 123.456, 1e5, 123456.789 }
local kinds = { "publish", "discrete_update", "unrestricted_update" }
local triggers = { "initialization", "step", "every", "every", "every", "every", "variable", "variable", "next_time",
  "demand", "demand" }

-- Outcomes by call number of a handler; the others succeed.
local function plan(r, calm)
  local result = {}
  for _ = 1, calm and 0 or r:integer(0, 2) do
    result[r:integer(1, 8)] =
      r:pick { "did_nothing", "did_nothing", "did_nothing", "terminate", "terminate", "fail", "error" }
  end
  return result
end

local function event(r, name, level)
  local e = { name = name, kind = r:pick(kinds), trigger = r:pick(triggers), plan = plan(r, r:chance(0.5)),
    a = r:integer(0, 3), b = r:integer(0, 3) }
  if level and r:chance(0.4) then
    e.trigger, e.level, e.direction = "witness", level(), r:pick { "crossing", "falling", "rising", "none" }
    if r:chance(0.1) then e.kind, e.plan = "none", {} end
  end
  if r:chance(0.2) then e.guard = { r:integer(2, 3), r:integer(0, 1) } end
  if e.trigger == "every" then
    e.every, e.offset = r:pick(periods), r:pick(offsets)
    if r:chance(0.1) then e.every = 0.02 + 0.5 * r:real() end
    if r:chance(0.1) then e.offset = r:real() end
  end
  if r:chance(0.03) then e.kind, e.plan = "none", {} end
  if e.trigger == "next_time" and r:chance(0.5) then e.after = r:pick { 0.3, 0.1, 0.25 + r:real() } end
  if e.trigger == "variable" and r:chance(0.8) then e.again = r:pick { 0.1, 0.25, 0.3, 0.5 + r:real() } end
  if level and e.kind ~= "publish" and r:chance(0.3) then e.turn = -0.8 end -- never back the way it came
  if level and e.kind == "unrestricted_update" and r:chance(0.2) then e.jump = r:integer(-16, 16) / 8 end
  if e.kind ~= "publish" and r:chance(0.15) then e.alarm = level and r:real() or r:pick { 0, 0.1, 0.2 } end
  return e
end

local function part(r, name, start, level)
  local p = { name = name, n = r:integer(0, 20), alarm = math.huge, events = {} }
  if r:chance(0.7) then p.alarm = start + r:pick { 0, 0.1, 0.3, r:real() } end
  if level then p.x, p.rate = r:integer(-8, 8) / 8, r:pick { -1, -0.5, 0.5, 1, 2 } end
  local timed = false
  for i = 1, r:integer(1, 4) do
    repeat
      p.events[i] = event(r, "e" .. i, level)
    until not (timed and p.events[i].trigger == "variable") -- one event for a time variable
    timed = timed or p.events[i].trigger == "variable"
  end
  return p
end

local function moment(r, scheme)
  local p = r:pick(scheme.parts)
  local e = p.events[r:integer(1, #p.events)]
  if e.every and r:chance(0.5) then
    local k = math.ceil((scheme.start - e.offset) / e.every) + r:integer(0, math.floor(1.5 / e.every) + 1)
    return e.offset + k * e.every
  end
  return scheme.start + r:pick { 1.6 * r:real(), 0.1 * r:integer(0, 15), 0.3, 0.6 }
end

local function demanded(r, scheme)
  for _ = 1, 5 do
    local p = r:pick(scheme.parts)
    local e = p.events[r:integer(1, #p.events)]
    if e.trigger == "demand" then return p.name .. "." .. e.name end
  end
end

local function deed(r, scheme)
  local path = r:chance(0.3) and demanded(r, scheme)
  if path then return r:chance(0.5) and { "demand", path } or { "schedule", path, r:real() } end
  local what = r:real()
  if what < 0.1 then return { "pending" } end
  if what < 0.14 then return { "initialize", r:chance(0.3) } end
  if what < 0.2 then return { "set", r:pick(scheme.parts).name .. ".n", r:integer(0, 20) } end
  if what < 0.24 then return { "monitor", r:chance(0.7) } end
  return { "advance", moment(r, scheme) }
end

function schemes.random(seed, flowing)
  local r = random.new(seed)
  local scheme = { seed = seed, start = r:pick(starts), parts = {}, wires = {}, deeds = {},
    monitor = plan(r, r:chance(0.6)),
    publish_every_step = r:chance(0.1), publish_at_initialization = r:chance(0.1) }
  if flowing then
    scheme.max_step, scheme.isolation = r:pick { 0.125, 0.25, 0.5 }, r:chance(0.5)
    scheme.start = r:pick { 0, 0, 1, -2, 100 }
  end
  -- Located roots are not on the grid: whether rounding puts one before or after a timer is nobody's promise.
  local function level() return scheme.isolation and 3 * r:real() - 1.5 or r:integer(-12, 12) / 8 end
  for i = 1, r:integer(1, 4) do scheme.parts[i] = part(r, ("abcd"):sub(i, i), scheme.start, flowing and level) end
  for i, p in ipairs(scheme.parts) do scheme.wires[i] = { r:pick(scheme.parts).name .. ".n", p.name .. ".u" } end
  for i = 1, r:integer(2, 7) do scheme.deeds[i] = deed(r, scheme) end
  return scheme
end

-- ---- in words ----

local function value(v)
  if type(v) == "number" then return math.type(v) == "integer" and tostring(v) or ("%.17g"):format(v) end
  if type(v) ~= "table" then return type(v) == "string" and ("%q"):format(v) or tostring(v) end
  local fields, keys = {}, {}
  for k in pairs(v) do keys[#keys + 1] = k end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for i, k in ipairs(keys) do
    local list = #v > 0 and type(k) == "number"
    fields[i] = (list and "" or (type(k) == "number" and "[%s] = " or "%s = "):format(k)) .. value(v[k])
  end
  return "{ " .. table.concat(fields, ", ") .. " }"
end

function schemes.describe(scheme)
  local lines = { ("seed %d, from %.17g"):format(scheme.seed, scheme.start) }
  for _, p in ipairs(scheme.parts) do
    lines[#lines + 1] = ("  part %s: n = %d, alarm = %.17g%s"):format(p.name, p.n, p.alarm,
      p.x and (", x = %g, x' = %g"):format(p.x, p.rate) or "")
    for _, e in ipairs(p.events) do lines[#lines + 1] = "    " .. value(e) end
  end
  lines[#lines + 1] = "  wires " .. value(scheme.wires)
  lines[#lines + 1] = "  monitor " .. value(scheme.monitor) .. " max_step " .. tostring(scheme.max_step) ..
    " isolation " .. tostring(scheme.isolation) .. " forced " .. tostring(scheme.publish_every_step) .. " " ..
    tostring(scheme.publish_at_initialization)
  for _, d in ipairs(scheme.deeds) do lines[#lines + 1] = "  " .. value(d) end
  return table.concat(lines, "\n")
end

-- ---- smaller ----

local function without(list, i)
  local item = table.remove(list, i)
  return function() table.insert(list, i, item) end
end

-- Drops whatever can go while `fails(scheme)` still holds.
function schemes.shrink(scheme, fails)
  local changed = true
  local function try(list)
    for i = #list, 1, -1 do
      local back = without(list, i)
      if fails(scheme) then changed = true else back() end
    end
  end
  while changed do
    changed = false
    try(scheme.deeds)
    for _, p in ipairs(scheme.parts) do
      try(p.events)
      for _, e in ipairs(p.events) do
        for _, field in ipairs { "guard", "alarm", "again" } do
          local was = e[field]
          e[field] = nil
          if was and fails(scheme) then changed = true else e[field] = was end
        end
        for k, v in pairs(e.plan) do
          e.plan[k] = nil
          if fails(scheme) then changed = true else e.plan[k] = v end
        end
      end
    end
    for k, v in pairs(scheme.monitor) do
      scheme.monitor[k] = nil
      if fails(scheme) then changed = true else scheme.monitor[k] = v end
    end
  end
  return scheme
end

return schemes
