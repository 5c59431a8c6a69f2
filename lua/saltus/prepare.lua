-- From a model and options to what the engine reads.
local core = require "saltus.core"
local names = require "saltus.names"
local system_module = require "saltus.system"

local prepare = {}

-- States that are connected become output ports, after the declared outputs: a list of them by part. And the wires:
-- part, output, part, input, one after the other.
local function wire(m, systems)
  local passes, number, wires = {}, {}, {}
  for _, c in ipairs(m.connections) do
    local port = c.port.index
    if c.port.partition ~= "output" then
      local list, known = passes[c.from] or {}, number[c.from] or {}
      passes[c.from], number[c.from] = list, known
      if not known[c.port] then
        list[#list + 1] = c.port
        known[c.port] = #systems[c.from].outputs + #list
      end
      port = known[c.port]
    end
    local n = #wires
    wires[n + 1], wires[n + 2], wires[n + 3], wires[n + 4] = c.from, port, c.to, c.input.index
  end
  return passes, wires
end

local MANY = 20 -- outputs of a lone system that may read each other
local unasked = {}

-- What the slots of a system begin as.
local function blobs_of(content)
  local blobs = {}
  for k, e in ipairs(content.slots) do blobs[k] = require("saltus.plain").encode(e.default) end
  return blobs
end

-- By part, the number of one before it that declares the same; only what is plain, so that nothing but numbers differs.
local function twins(declared, passes, blobs, sizes)
  local like, first = {}, {}
  for i, what in ipairs(declared) do
    if not (passes[i] or blobs[i] or sizes[i]) then
      like[i] = first[what]
      first[what] = first[what] or i
    end
  end
  return like
end

-- Lists by part, see src/binding/l_model.c.
function prepare.describe(m, sizes)
  local diagram = #m.parts > 1 or m.parts[1].path ~= ""
  local paths, systems, declared, needs, blobs, known = {}, {}, {}, {}, {}, {}
  for i, part in ipairs(m.parts) do
    local content = system_module.content(part.system)
    local what = content.shape or content
    if not known[what] then
      local ask = diagram or #content.outputs > MANY
      known[what] = ask and require("saltus.reads").numbers(part.system) or unasked
    end
    paths[i], systems[i], declared[i], needs[i] = part.path, content, what, known[what]
    if content.slots[1] then blobs[i] = blobs_of(content) end
  end
  local passes, wires = wire(m, systems)
  sizes = sizes or {}
  return { diagram = diagram, paths = paths, systems = systems, like = twins(declared, passes, blobs, sizes),
    needs = needs, blobs = blobs, passes = passes, wires = wires, sizes = sizes }
end

-- The engine of a model. It is the engine that finds an algebraic loop; here are the words.
function prepare.engine(m, o, sizes)
  local engine = prepare.protected("saltus.simulator", core.simulator, prepare.describe(m, sizes), o, o.start_time)
  if not engine then
    local reads = require "saltus.reads"
    local loop = reads.find_loop(m)
    names.fail("%s", loop and reads.loop_text(m, loop) or ("%q has an algebraic loop"):format(m.name))
  end
  return engine
end

local function keeps_past(m)
  for _, content in ipairs(m.declared) do
    if content.pasts and #content.pasts > 0 then return true end
  end
  return false
end

local function check_mass(o, m, method, what)
  for _, content in ipairs(m.declared) do
    local who = content.mass and ("%s: system %q (%s)"):format(what, content.name, content.source)
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
  for _, content in ipairs(m.declared) do if content.mass then return true end end
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
  if type(o.jacobian_pattern) == "table" then prepare.check_band(o, prepare.extent_of(m, o), what) end
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
  for _, content in ipairs(m.declared) do
    for _, e in ipairs(content.inputs) do
      if e.required then return require("saltus.unfed").needed(m) end
    end
  end
  return {}
end

function prepare.is_constrained(m)
  for _, content in ipairs(m.declared) do
    if content.constraints or content.constraint_rates then return true end
  end
  return false
end

-- How many elements x has, the characteristic time, how many of x are q and v.
function prepare.extent_of(m, o)
  local n = { q = 0, v = 0, z = 0 }
  for _, part in ipairs(m.parts) do
    for section in pairs(n) do
      for _, e in ipairs(system_module.content(part.system)[section]) do n[section] = n[section] + e.size end
    end
  end
  return n.q + n.v + n.z, o.characteristic_time, n
end

return prepare
