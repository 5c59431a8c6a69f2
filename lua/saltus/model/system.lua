-- Systems: checks the users' definitions and converts them to one form. A system never changes: writing a field raises
-- an error, and `system:with` returns another system.
local names = require "saltus.util.names"
local variable = require "saltus.model.variable"

local system = {}

-- One table for checks, help and documentation.
system.fields = {
  { name = "name", doc = "a Lua identifier; required" },
  { name = "q" }, { name = "v" }, { name = "z" }, { name = "discrete" }, { name = "abstract" }, { name = "params" },
  { name = "inputs" }, { name = "outputs" }, -- docs: variable.sections
  { name = "derivatives", doc = "function(ctx, dot): sets dot.x of every q, v and z" },
  { name = "events", doc = "a list of events" },
  { name = "doc", doc = "a one-line description" },
  { name = "past", doc = "{ height = 2 }: records 2 s (math.huge: all) of a state, input or output for ctx.past" },
  { name = "history", doc = "values before the start: by name a number or a function of time; one function "
    .. "that returns a table by names; or the log of an earlier run" },
  { name = "history_rate", doc = "derivatives of history, in the same form; default: by differences" },
  { name = "constraints", doc = "function(ctx, residual): residual[1], [2] ... must be 0" },
  { name = "constraint_rates", doc = "function(ctx, rate): derivatives of the constraints; default: by differences" },
  { name = "project", doc = "function(ctx, next): moves q, v and z to a consistent state, instead of constraints" },
  { name = "velocity_map", doc = "function(ctx, v, qdot): q' = N(q) v; derivatives may then omit q" },
  { name = "mass", doc = "{ pressure = 0 } or rows of numbers: derivatives sets M x'; for radau5, rodas4 and auto" },
  { name = "draw", doc = "function(ctx, pen): draws this system for --animate; see saltus help pen" },
  { name = "lockstep", doc = "true: refuses closures that may have other bits on another machine; see saltus.math" },
  { name = "compile", doc = "false: its closures always run in Lua, as with the option of a simulator" },
}
for _, section in ipairs(variable.sections) do
  for _, field in ipairs(system.fields) do
    if field.name == section.name then field.doc = section.doc end
  end
end

local field_names = names.of(system.fields)

local methods = {}

-- A user's system is a table with its fields under this key.
local CONTENT = {}

local System = {
  __name = "saltus.system",
  __index = function(self, key)
    local value = self[CONTENT][key]
    if value == nil then return methods[key] end
    return value
  end,
  __newindex = function(self, key)
    names.fail("system %q does not change; for other defaults use system:with { %s = ... }", self.name, tostring(key))
  end,
  __tostring = function(self) return require("saltus.model.describe").describe(self[CONTENT]) end,
  __pairs = function(self) return next, variable.all_fields(self[CONTENT]), nil end,
}

function system.is(value) return getmetatable(value) == System end

-- The fields as one plain table, for code that reads many of them.
function system.content(sys) return sys[CONTENT] end

-- Makes a system of checked fields.
function system.freeze(content) return setmetatable({ [CONTENT] = content }, System) end

local function is_state(e) return e.partition ~= "param" and e.partition ~= "input" and e.partition ~= "output" end

local function declare(content, e, section, owner, home)
  local name, output = e.name, e.partition == "output"
  local other, port = content.by_name[name], content.ports[name]
  if output and port and port == other and is_state(other) then
    content.ports[name] = e -- the port is the output; in ctx the name still means the state
  elseif other then
    names.fail("%s: the name %q is used twice, in %s and in %s", owner, name, home[name], section.name)
  else
    content.by_name[name] = e
    if output or is_state(e) then content.ports[name] = e end
  end
  home[name] = section.name
end

local function number_off(list, partition)
  local offset = 0
  for i, e in ipairs(list) do
    e.index = i
    if partition ~= "output" and partition ~= "abstract" then
      e.offset = offset
      offset = offset + e.size
    end
  end
end

-- Adds the entries of a section. `home`: the section of each name so far.
function system.add_entries(content, section, list, owner, home)
  content[section.name] = list
  if not list[1] then return end
  for _, e in ipairs(list) do declare(content, e, section, owner, home) end
  number_off(list, section.partition)
end

-- Abstract values have slots besides the numbers: first the states, then the constant values of inputs.
function system.number_slots(content)
  for _, list in ipairs { content.abstract, content.inputs } do
    for _, e in ipairs(list) do
      if e.abstract then
        table.insert(content.slots, e)
        e.slot = #content.slots
      end
    end
  end
end

local function check_name(name)
  if name == nil then names.fail("saltus.system: the field \"name\" is missing; give the system a name") end
  names.check(names.is_identifier(name), name, "saltus.system: name must be a Lua identifier")
  return ("system %q"):format(name)
end

local function check_derivatives(content, owner)
  local fn, first = content.derivatives, content.q[1] or content.v[1] or content.z[1]
  names.check_type(fn, "function", "%s: derivatives must be a function(ctx, dot)", owner)
  if fn == nil and first then
    names.fail("%s has continuous state (%q) but no derivatives = function(ctx, dot) ... end", owner, first.name)
  end
end

local function check_needs(content, owner)
  for _, output in ipairs(content.outputs) do
    for _, name in ipairs(output.needs or {}) do
      if not content.by_name[name] and name ~= "time" then
        names.fail_unknown(("name %%s in needs of output %q"):format(output.name), name,
          names.sorted_keys(content.by_name), owner)
      end
    end
  end
end

-- saltus.system { name = "ball", ... }
function system.new(def)
  names.check(type(def) == "table" and names.kind(def) ~= "module", def, "saltus.system takes a table")
  local owner = check_name(def.name)
  names.check_keys(def, field_names, "field %s in " .. owner)
  local doc = variable.label(def, "doc", owner)
  local content = { name = def.name, source = names.where() or "?", doc = doc, by_name = {}, ports = {}, slots = {},
    pasts = {}, events = {}, derivatives = def.derivatives, draw = def.draw, compile = def.compile,
    lockstep = def.lockstep,
    programs = {} } -- by closure, see saltus.closure.programs
  local home = {}
  for _, section in ipairs(variable.sections) do
    local list = variable.list(section, def[section.name], owner)
    system.add_entries(content, section, list, owner, home)
  end
  system.number_slots(content)
  check_derivatives(content, owner)
  names.check_type(def.draw, "function", "%s: draw must be a function(ctx, pen)", owner)
  for _, field in ipairs { "compile", "lockstep" } do
    names.check_type(def[field], "boolean", "%s: %s must be true or false", owner, field)
  end
  if def.constraints ~= nil or def.constraint_rates ~= nil or def.project ~= nil or def.velocity_map ~= nil then
    require("saltus.model.constraints").declare(def, content, owner)
  end
  if def.mass ~= nil then content.mass = require("saltus.model.mass_matrix").read(def.mass, content, owner) end
  if def.past ~= nil or def.history ~= nil or def.history_rate ~= nil then
    require("saltus.model.history").declare(def, content, owner)
  end
  if def.events ~= nil then content.events = require("saltus.model.event").list(def.events, content, owner) end
  check_needs(content, owner)
  return system.freeze(content)
end

-- system:with { gravity = 1.62, ["r[2]"] = 0 } returns the same system with other defaults. `path`: the name in errors
-- for a part of a model.
function methods:with(overrides, path)
  if not system.is(self) then names.fail("with is a method: write system:with { ... }") end
  names.check(type(overrides) == "table", overrides, "system:with takes a table")
  local content = self[CONTENT]
  local owner = ("system %q"):format(path or content.name)
  return system.freeze(require("saltus.model.default_overrides").of_system(content, overrides, owner))
end

-- Returns the common period and offset of its periodic discrete updates; nil and the reason if there are none.
function methods:sampling()
  return require("saltus.model.sampling").of(self.name, { { path = "", system = self } })
end

names.closed(methods, "a system (saltus.simulator runs it)", names.joined(field_names, { "block", "c_system", "numbers",
  "shape" }), names.joined(names.sorted_keys(methods), field_names))

return system
