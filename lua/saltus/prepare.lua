-- From a model and options to what the engine reads.
local core = require "saltus.core"
local names = require "saltus.names"
local system_module = require "saltus.system"

local prepare = {}

-- States that are connected become output ports, after the declared outputs.
local function port_numbers(m)
  local passes, port, number = {}, {}, {}
  for _, c in ipairs(m.connections) do
    if c.port.partition == "output" then
      port[c] = c.port.index
    else
      passes[c.from], number[c.from] = passes[c.from] or {}, number[c.from] or {}
      local list, known = passes[c.from], number[c.from]
      if not known[c.port] then
        list[#list + 1] = c.port
        known[c.port] = #list
      end
      port[c] = #m.parts[c.from].system.outputs + known[c.port]
    end
  end
  return passes, port
end

local none = {}

local MANY = 20 -- outputs of a lone system that may read each other

local function needs_of(m)
  local needs = {}
  for _, system in ipairs(m.systems) do
    local ask = #m.parts > 1 or #system.outputs > MANY
    needs[system] = ask and require("saltus.reads").numbers(system) or {}
  end
  return needs
end

function prepare.describe(m, sizes)
  local passes, port = port_numbers(m)
  local parts, connections, needs = {}, {}, needs_of(m)
  for i, part in ipairs(m.parts) do
    local content = system_module.content(part.system)
    local blobs = content.slots[1] and {} or none
    for k, e in ipairs(content.slots) do blobs[k] = require("saltus.plain").encode(e.default) end
    local size = sizes and sizes[i] or none
    parts[i] = { path = part.path, system = content, passes = passes[i] or none, blobs = blobs,
      needs = needs[part.system], constraints = size.constraints, constraint_rates = size.constraint_rates }
  end
  for i, c in ipairs(m.connections) do
    connections[i] = { from = c.from, output = port[c], to = c.to, input = c.input.index }
  end
  return { diagram = #m.parts > 1 or m.parts[1].path ~= "", parts = parts, connections = connections }
end

local function keeps_past(m)
  for _, part in ipairs(m.parts) do
    if part.system.pasts and #part.system.pasts > 0 then return true end
  end
  return false
end

local function check_mass(o, m, method, what)
  for _, part in ipairs(m.parts) do
    local who = part.system.mass and ("%s: system %q (%s)"):format(what, part.system.name, part.system.source)
    if who and not method.mass then
      local able = {}
      for _, other in ipairs(core.methods()) do if other.mass then able[#able + 1] = ("%q"):format(other.name) end end
      names.fail("%s has a mass matrix, which integrator %q does not take; choose integrator = %s", who, method.name,
        table.concat(able, " or "))
    elseif who and o.dense_output == "hermite" then
      names.fail("%s has a mass matrix, which hides the derivatives that dense_output = \"hermite\" needs", who)
    elseif who and keeps_past(m) then
      names.fail("%s has a mass matrix; a past, which this model keeps too, does not go with one", who)
    end
  end
end

local function check_past(m, method, what)
  if not method.past and keeps_past(m) then
    names.fail("%s: integrator %q chooses its own steps, and cannot read a past inside of them", what, method.name)
  end
end

-- n: of all continuous variables.
function prepare.check_band(o, n, what)
  if type(o.jacobian_pattern) ~= "table" then return end
  for _, side in ipairs { "lower", "upper" } do
    if o.jacobian_pattern[side] >= math.max(n, 1) then
      names.fail("%s: option \"jacobian_pattern\" has %s = %d, but there are only %d continuous variables", what, side,
        o.jacobian_pattern[side], n)
    end
  end
end

local function has_mass(m)
  for _, part in ipairs(m.parts) do if part.system.mass then return true end end
  return false
end

-- What the engine tells of the method with that name.
function prepare.method(name, what)
  local known = {}
  for i, method in ipairs(core.methods()) do
    if method.name == name then return method end
    known[i] = method.name
  end
  return names.fail("%s", what .. ": " .. names.unknown("integrator", name, known))
end

-- Methods that cannot estimate their error take fixed steps. What is left open is one that solves M x' = f.
function prepare.complete(o, m, what)
  if o.integrator == "auto" and has_mass(m) then o.integrator = "radau5" end
  local found = prepare.method(o.integrator, what)
  check_mass(o, m, found, what)
  check_past(m, found, what)
  prepare.check_band(o, prepare.extent_of(m, o), what)
  if not found.error_control then o.fixed_step = true end
  if o.fixed_step and o.max_step == math.huge then
    names.fail("%s: %s with fixed steps needs max_step, the size of a step in s", what, o.integrator)
  end
  return o
end

-- A call of the engine, whose complaints are told as those of `what`.
function prepare.protected(what, fn, ...)
  local result = table.pack(pcall(fn, ...))
  if not result[1] then names.fail("%s: %s", what, tostring(result[2])) end
  return table.unpack(result, 2, result.n)
end

-- Inputs that someone must feed before the start.
function prepare.needed_inputs(m)
  for _, part in ipairs(m.parts) do
    for _, e in ipairs(part.system.inputs) do
      if e.required then return require("saltus.unfed").needed(m) end
    end
  end
  return {}
end

function prepare.is_constrained(m)
  for _, system in ipairs(m.systems) do
    if system.constraints or system.constraint_rates then return true end
  end
  return false
end

-- How many elements x has, the characteristic time, how many of x are q and v.
function prepare.extent_of(m, o)
  local n = { q = 0, v = 0, z = 0 }
  for _, part in ipairs(m.parts) do
    for section in pairs(n) do
      for _, e in ipairs(part.system[section]) do n[section] = n[section] + e.size end
    end
  end
  return n.q + n.v + n.z, o.characteristic_time, n
end

return prepare
