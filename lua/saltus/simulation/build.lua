-- Makes the engine's simulator from a model and options.
local core = require "saltus.core"
local names = require "saltus.util.names"
local system_module = require "saltus.model.system"
local variable = require "saltus.model.variable"

local build = {}

local MANY = 20 -- outputs of a lone system that may read each other
local unknown = {}

-- The slots of a system: { name, initial value }. An input of this name may have a slot for its constant value.
local function blobs_of(content)
  local blobs = {}
  for k, e in ipairs(content.slots) do
    local name = e.partition == "input" and e.name .. " (constant)" or e.name
    blobs[k] = { name, require("saltus.util.serialize").encode(e.default) }
  end
  return blobs
end

-- Lists by part, see src/binding/model.c.
function build.description(m, sizes)
  local diagram = #m.parts > 1 or m.parts[1].path ~= ""
  local paths, systems, declared, needs, blobs, known = {}, {}, {}, {}, {}, {}
  for i, part in ipairs(m.parts) do
    local content = system_module.content(part.system)
    local what = content.shape or content
    if not known[what] then
      local ask = diagram or #content.outputs > MANY
      known[what] = ask and require("saltus.model.dependencies").numbers(part.system) or unknown
    end
    paths[i], systems[i], declared[i], needs[i] = part.path, content, what, known[what]
    if content.slots[1] then blobs[i] = blobs_of(content) end
  end
  local description = { name = m.name, diagram = diagram, paths = paths, systems = systems, like = {}, needs = needs,
    blobs = blobs, state_ports = {}, sizes = sizes or {} }
  if diagram then require("saltus.model.connections").add(description, m, declared) end
  return description
end

-- The engine of a model. The engine itself finds algebraic loops; the error text is made here.
function build.engine(m, o, sizes)
  if m:has_conditions() then require("saltus.model.conditions").prepare(m) end
  local engine = build.call_engine("saltus.simulator", core.simulator, build.description(m, sizes), o, o.start_time)
  if not engine then
    local dependencies = require "saltus.model.dependencies"
    local loop = dependencies.find_loop(m)
    names.fail("%s", loop and dependencies.loop_text(m, loop) or ("%q has an algebraic loop"):format(m.name))
  end
  return engine
end

local methods = {}
for _, method in ipairs(core.methods()) do methods[method.name] = method end

-- The engine's description of the method with that name.
function build.find_method(name, what)
  return methods[name] or names.fail_unknown("integrator", name, names.of(core.methods()), what)
end

-- The first content of a model's systems that has a value in this field.
local function find(m, field)
  for _, content in ipairs(m.declared) do
    if content[field] and next(content[field]) ~= nil then return content end
  end
  return nil
end

-- Returns the engine's description of the method; "auto" becomes one that solves M x' = f if there is a mass matrix.
function build.choose_method(o, mass, what)
  if o.integrator == "auto" and mass then o.integrator = "radau5" end
  return build.find_method(o.integrator, what)
end

-- Methods that cannot estimate their error take fixed steps.
function build.complete_steps(o, method, what)
  if not method.error_control then o.fixed_step = true end
  names.fail_if(o.fixed_step and o.max_step == math.huge,
    "%s: %s with fixed steps needs max_step, the size of a step in s", what, o.integrator)
end

-- Completes the options of a simulator of a model.
function build.complete_options(o, m, what)
  local mass, past = find(m, "mass"), find(m, "pasts")
  local method = build.choose_method(o, mass, what)
  if mass or past or type(o.jacobian_pattern) == "table" then
    require("saltus.simulation.method_checks").check(o, mass, past, method, build.size_of(m, o), what)
  end
  build.complete_steps(o, method, what)
  return o
end

-- Calls the engine; its error texts begin with `what`.
function build.call_engine(what, fn, ...)
  local result = table.pack(pcall(fn, ...))
  if not result[1] then names.fail("%s: %s", what, tostring(result[2])) end
  return table.unpack(result, 2, result.n)
end

-- Inputs that need a value before the start.
function build.needed_inputs(m)
  for _, content in ipairs(m.declared) do
    for _, e in ipairs(content.inputs) do
      if e.required then return require("saltus.model.unconnected_inputs").needed(m) end
    end
  end
  return {}
end

local modal, are_checked = setmetatable({}, { __mode = "k" }), setmetatable({}, { __mode = "k" })

function build.has_modes(content)
  if modal[content] == nil then modal[content] = variable.modes(content)[1] ~= nil end
  return modal[content]
end

-- Raises an error for a mode that the code compares with a string that is not one of its values.
function build.check_modes(m)
  for _, content in ipairs(m.declared) do
    if not are_checked[content] and build.has_modes(content) then
      require("saltus.model.mode_comparisons").check_system(content)
      are_checked[content] = true
    end
  end
end

-- Raises an error for a closure that breaks the lockstep of a part. Returns the path of a part that demands it, or nil.
function build.check_lockstep(m, o)
  for _, content in ipairs(m.declared) do
    if content.lockstep then return require("saltus.closure.lockstep.check").check(m, o.jacobian) end
  end
  return nil
end

function build.is_constrained(m)
  for _, content in ipairs(m.declared) do
    if content.constraints or content.constraint_rates then return true end
  end
  return false
end

-- Returns the number of elements of x, the characteristic time, and the numbers { q =, v =, z = } of them.
function build.size_of(m, o)
  local n = { q = 0, v = 0, z = 0 }
  for _, part in ipairs(m.parts) do
    for section in pairs(n) do
      for _, e in ipairs(system_module.content(part.system)[section]) do n[section] = n[section] + e.size end
    end
  end
  return n.q + n.v + n.z, o.characteristic_time, n
end

return build
