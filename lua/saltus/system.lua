-- Systems: what users write, checked at the door and brought to one form.
--
-- A system never changes: its fields are read through a metatable that refuses
-- writes, and `system:with` answers another one.
local names = require "saltus.names"
local entry = require "saltus.entry"

local system = {}

-- What a system says: one table for checks, help and documentation.
system.fields = {
  { name = "name", doc = "a Lua identifier; required" },
  { name = "q" }, { name = "v" }, { name = "z" }, { name = "discrete" }, { name = "abstract" }, { name = "params" },
  { name = "inputs" }, { name = "outputs" }, -- entry.sections tells of these
  { name = "derivatives", doc = "function(ctx, dot): sets dot.x of every q, v and z" },
  { name = "events", doc = "a list of events" },
  { name = "doc", doc = "a line about it" },
  { name = "past", doc = "{ height = 2 }: keeps 2 s (math.huge: all) of a state, input or output for ctx.past" },
  { name = "history", doc = "what stood before the start: by name a number or a function of time; one function "
    .. "answering a table by names; or the log of an earlier run" },
  { name = "history_rate", doc = "its derivatives, likewise; unset: by differences" },
  { name = "constraints", doc = "function(ctx, residual): residual[1], [2] ... are 0 where the state belongs" },
  { name = "constraint_rates", doc = "function(ctx, rate): their derivatives; unset: by differences" },
  { name = "project", doc = "function(ctx, next): brings q, v and z to where they belong, instead of constraints" },
  { name = "velocity_map", doc = "function(ctx, v, qdot): q' = N(q) v; derivatives may then leave q out" },
  { name = "mass", doc = "{ pressure = 0 } or rows of numbers: derivatives sets M x'; radau5 or rodas4" },
}
for _, section in ipairs(entry.sections) do
  for _, field in ipairs(system.fields) do
    if field.name == section.name then field.doc = section.doc end
  end
end

-- Named by the design, not yet here: silence would be a wrong simulation.
local not_yet = { compile = true }

local methods = {}

-- The objects that users hold are empty but for their fields, which stand under this key.
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
  __tostring = function(self) return require("saltus.system_text").describe(self[CONTENT]) end,
  __pairs = function(self) return next, system.all_of(self[CONTENT]), nil end,
}

function system.is(value) return getmetatable(value) == System end

-- A system's fields as one plain table, for those that read many.
function system.content(sys) return sys[CONTENT] end

-- Wraps normalised fields into the object that users hold.
local function seal(content) return setmetatable({ [CONTENT] = content }, System) end

local function is_state(e) return e.partition ~= "param" and e.partition ~= "input" and e.partition ~= "output" end

local function enter(content, e, section, owner, home)
  local other = content.by_name[e.name]
  if e.partition == "output" and other and is_state(other) and not content.ports_output[e.name] then
    content.ports[e.name] = e -- the port is the output, the name in ctx stays the state
  elseif other or content.ports_output[e.name] then
    names.fail("%s: the name %q is used twice, in %s and in %s", owner, e.name, home[e.name], section.name)
  else
    content.by_name[e.name] = e
    if e.partition == "output" or is_state(e) then content.ports[e.name] = e end
  end
  if e.partition == "output" then content.ports_output[e.name] = true end
  home[e.name] = section.name
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

-- Where abstract values stand beside the numbers: states, then what inputs are fixed at.
local function number_slots(content)
  content.slots = {}
  for _, list in ipairs { content.abstract, content.inputs } do
    for _, e in ipairs(list) do
      if e.abstract then
        content.slots[#content.slots + 1] = e
        e.slot = #content.slots
      end
    end
  end
end

local function check_fields(def, owner)
  local allowed, fields = {}, {}
  for i, field in ipairs(system.fields) do fields[i], allowed[field.name] = field.name, true end
  for _, key in ipairs(names.sorted_keys(def)) do
    if not_yet[key] then
      names.fail("%s: the field %q is not in this version", owner, key)
    elseif not allowed[key] then
      names.fail("%s", names.unknown("field %s in " .. owner, key, fields))
    end
  end
end

local function check_name(name)
  if name == nil then names.fail("saltus.system: the field \"name\" is missing; give the system a name") end
  if not names.is_identifier(name) then
    names.fail("saltus.system: name must be a Lua identifier, got %s", names.show(name))
  end
  return ("system %q"):format(name)
end

local function check_derivatives(def, content, owner)
  local fn = def.derivatives
  if fn ~= nil and type(fn) ~= "function" then
    names.fail("%s: derivatives must be a function(ctx, dot), got %s", owner, names.show(fn))
  end
  if fn == nil and #content.q + #content.v + #content.z > 0 then
    local first = content.q[1] or content.v[1] or content.z[1]
    names.fail("%s has continuous state (%q) but no derivatives = function(ctx, dot) ... end", owner, first.name)
  end
  return fn
end

-- Where the continuous state belongs: see src/include/saltus/system.h.
system.bound = {
  constraints = { "function(ctx, residual)", "q", "v", "z" },
  constraint_rates = { "function(ctx, rate)", "v" },
  project = { "function(ctx, next)", "q", "v", "z" },
  velocity_map = { "function(ctx, v, qdot)", "v" },
}

local function check_bound(def, content, owner)
  for _, field in ipairs(names.sorted_keys(system.bound)) do
    local fn, needs = def[field], system.bound[field]
    if fn ~= nil and type(fn) ~= "function" then
      names.fail("%s: %s must be a %s, got %s", owner, field, needs[1], names.show(fn))
    end
    local states = 0
    for i = 2, #needs do states = states + #content[needs[i]] end
    if fn and (states == 0 or field == "velocity_map" and #content.q == 0) then
      names.fail("%s: %s is about continuous state, and there is none in %s", owner, field,
        field == "velocity_map" and "q or v" or table.concat(needs, ", ", 2))
    end
    content[field] = fn
  end
  for _, e in ipairs(content.velocity_map and content.q or {}) do
    if e.weight ~= 1 then
      names.fail("%s: with velocity_map the errors of q are weighed as those of v; give the weight of %q there", owner,
        e.name)
    end
  end
end

-- With a velocity_map `derivatives` may leave q out; what it says of q stands.
local function with_map(content)
  local map, rest = content.velocity_map, content.derivatives
  if not map or not rest then return rest end
  return function(ctx, dot)
    map(ctx, ctx, dot)
    rest(ctx, dot)
  end
end

local function check_needs(content, owner)
  for _, output in ipairs(content.outputs) do
    for _, name in ipairs(output.needs or {}) do
      if not content.by_name[name] and name ~= "time" then
        names.fail("%s", owner .. ": " .. names.unknown(("name %%s in needs of output %q"):format(output.name), name,
          names.sorted_keys(content.by_name)))
      end
    end
  end
end

-- saltus.system { name = "ball", ... }
function system.new(def)
  if type(def) ~= "table" then names.fail("saltus.system takes a table, got %s", names.show(def)) end
  local owner = check_name(def.name)
  check_fields(def, owner)
  local content = { name = def.name, source = names.where() or "?", doc = def.doc, by_name = {}, ports = {},
    ports_output = {} }
  local home = {}
  for _, section in ipairs(entry.sections) do
    local list = entry.list(section, def[section.name], owner)
    for _, e in ipairs(list) do enter(content, e, section, owner, home) end
    number_off(list, section.partition)
    content[section.name] = list
  end
  content.ports_output = nil
  number_slots(content)
  content.derivatives = check_derivatives(def, content, owner)
  check_bound(def, content, owner)
  content.derivatives = with_map(content)
  if def.mass ~= nil then content.mass = require("saltus.mass").read(def.mass, content, owner) end
  content.pasts = {}
  if def.past ~= nil or def.history ~= nil or def.history_rate ~= nil then
    require("saltus.past").enter(def, content, owner)
  end
  content.events = def.events == nil and {} or require("saltus.event").list(def.events, content, owner)
  check_needs(content, owner)
  return seal(content)
end

-- What blocks that declare alike have in common: `lists` are from src/binding/l_block.c and need no check. Ten thousand
-- gains are ten thousand names and numbers, and one of this.
function system.shape(kind, lists)
  local shape = { doc = kind.doc, block = kind.name, by_name = {}, ports = {}, ports_output = {},
    events = lists.events, pasts = lists.pasts }
  local home = {}
  for _, section in ipairs(entry.sections) do
    local list = lists[section.name] or {}
    for _, e in ipairs(list) do
      e.partition, e.continuous, e.vector = section.partition, section.continuous, e.size > 1
      if section.continuous then e.weight, e.error = 1.0, section.name == "q" and "absolute" or "relative" end
      enter(shape, e, section, kind.name, home)
    end
    number_off(list, section.partition)
    shape[section.name] = list
  end
  shape.ports_output = nil
  number_slots(shape)
  for _, kept in ipairs(shape.pasts) do kept.entry = shape.by_name[kept.name] end
  for i, e in ipairs(shape.events) do
    e.index = i
    for _, d in ipairs(shape.discrete) do
      if e.time_offset == d.offset then e.time_variable = d end
    end
  end
  shape.shape = shape
  return { __index = shape }
end

-- A ready-made block; `numbers` are what its states and parameters begin at.
function system.of_shape(shape, name, numbers, history)
  return seal(setmetatable({ name = name, source = names.where() or "?", numbers = numbers, history = history }, shape))
end

-- The fields of a content, those of its shape too.
function system.all_of(content)
  local out = {}
  for key, value in pairs(content.shape or {}) do out[key] = value end
  for key, value in pairs(content) do out[key] = value end
  return out
end

-- What an entry of a content begins at.
function system.default(content, e)
  if not e.from then return e.default end
  if not e.vector then return content.numbers[e.from] end
  return table.move(content.numbers, e.from, e.from + e.size - 1, 1, {})
end

-- system:with { gravity = 1.62, ["r[2]"] = 0 } answers the same system with other defaults.
-- As a part of a model it bears the name of its path.
function methods:with(overrides, path)
  if not system.is(self) then names.fail("with is a method: write system:with { ... }") end
  if type(overrides) ~= "table" then names.fail("system:with takes a table, got %s", names.show(overrides)) end
  local content = self[CONTENT]
  return seal(require("saltus.variant").of(content, overrides, ("system %q"):format(path or content.name)))
end

-- Period and offset of its periodic discrete updates when all share one timing; else nil and why not.
function methods:sampling() return require("saltus.model").of(self):sampling() end

return system
