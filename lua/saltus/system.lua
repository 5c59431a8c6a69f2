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

function system.is(value)
  local mt = getmetatable(value)
  return type(mt) == "table" and mt.__name == "saltus.system"
end

-- A system's fields as one plain table, for those that read many.
function system.content(sys) return getmetatable(sys).content end

-- Wraps normalised fields into the object that users hold.
local function seal(content)
  return setmetatable({}, {
    __name = "saltus.system",
    __index = function(_, key)
      local value = content[key]
      if value == nil then return methods[key] end
      return value
    end,
    __newindex = function(_, key)
      names.fail("system %q does not change; for other defaults use system:with { %s = ... }", content.name,
        tostring(key))
    end,
    __tostring = function() return system.describe(content) end,
    __pairs = function() return next, content, nil end,
    content = content,
  })
end

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
local bound = {
  constraints = { "function(ctx, residual)", "q", "v", "z" },
  constraint_rates = { "function(ctx, rate)", "v" },
  project = { "function(ctx, next)", "q", "v", "z" },
  velocity_map = { "function(ctx, v, qdot)", "v" },
}

local function check_bound(def, content, owner)
  for _, field in ipairs(names.sorted_keys(bound)) do
    local fn, needs = def[field], bound[field]
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

-- A ready-made block, from what its kind declares (src/binding/l_block.c): lists that need no check.
function system.of_block(kind, name, lists)
  local content = { name = name, source = names.where() or "?", doc = kind.doc, block = kind.name, by_name = {},
    ports = {}, ports_output = {}, events = lists.events, pasts = lists.pasts }
  local home = {}
  for _, section in ipairs(entry.sections) do
    local list = lists[section.name] or {}
    for _, e in ipairs(list) do
      e.partition, e.continuous, e.vector = section.partition, section.continuous, e.size > 1
      if section.continuous then e.weight, e.error = 1.0, section.name == "q" and "absolute" or "relative" end
      enter(content, e, section, name, home)
    end
    number_off(list, section.partition)
    content[section.name] = list
  end
  content.ports_output = nil
  number_slots(content)
  for _, kept in ipairs(content.pasts) do kept.entry = content.by_name[kept.name] end
  content.history = lists.history
  for i, e in ipairs(content.events) do
    e.index = i
    for _, d in ipairs(content.discrete) do
      if e.time_offset == d.offset then e.time_variable = d end
    end
  end
  return seal(content)
end

local function copy(t)
  local out = {}
  for k, v in pairs(t) do out[k] = v end
  return out
end

-- A copy whose entries are new tables, with every reference between them kept.
local function copy_content(content)
  local out, new = copy(content), {}
  for _, section in ipairs(entry.sections) do
    local list = {}
    for i, e in ipairs(content[section.name]) do
      new[e] = copy(e)
      list[i] = new[e]
    end
    out[section.name] = list
  end
  out.by_name, out.ports, out.events, out.slots = {}, {}, {}, {}
  for i, e in ipairs(content.slots) do out.slots[i] = new[e] end
  for name, e in pairs(content.by_name) do out.by_name[name] = new[e] end
  for name, e in pairs(content.ports) do out.ports[name] = new[e] end
  out.pasts = {}
  for i, kept in ipairs(content.pasts or {}) do
    out.pasts[i] = copy(kept)
    out.pasts[i].entry = new[kept.entry]
  end
  for i, e in ipairs(content.events) do
    out.events[i] = copy(e)
    out.events[i].time_variable = new[e.time_variable]
  end
  return out
end

local function settable(content)
  local out = {}
  for _, section in ipairs(entry.sections) do
    if section.name ~= "outputs" then
      for _, e in ipairs(content[section.name]) do out[#out + 1] = e.name end
    end
  end
  return out
end

local function set_element(e, index, value, who)
  if not e.vector then names.fail("%s is one value, it has no element [%d]", who, index) end
  if index < 1 or index > e.size then names.fail("%s has elements 1 to %d, not [%d]", who, e.size, index) end
  local list = copy(e.default)
  list[index] = entry.element(e, value, ("%s[%d]"):format(who, index))
  e.default = list
end

-- Parameters of a block that stand in an order, like lower and upper.
local function check_orders(content, touched, owner)
  for _, e in ipairs(content.params) do
    local above = e.rules and e.rules.not_above
    local other = above and content.by_name[above]
    if other and (touched[e] or touched[other]) then
      local wrong = entry.broken_order(e.rules, e.default, other.default)
      if wrong then names.fail("%q of %s %s", e.name, owner, wrong) end
    end
  end
end

-- system:with { gravity = 1.62, ["r[2]"] = 0 } answers the same system with other defaults.
-- As a part of a model it bears the name of its path.
function methods:with(overrides, path)
  if not system.is(self) then names.fail("with is a method: write system:with { ... }") end
  if type(overrides) ~= "table" then names.fail("system:with takes a table, got %s", names.show(overrides)) end
  local content = copy_content(getmetatable(self).content)
  local owner = ("system %q"):format(path or content.name)
  local touched = {}
  for _, key in ipairs(names.sorted_keys(overrides)) do
    local name, index = key, nil
    if type(key) == "string" and key:find "%]$" then name, index = key:match "^(.-)%[(%d+)%]$" end
    local e = name and content.by_name[name]
    if not e then names.fail("%s", names.unknown("name %s in " .. owner, key, settable(content))) end
    local who = ("%q of %s"):format(name, owner)
    e.required, e.unset, touched[e] = nil, nil, true
    if index then
      set_element(e, math.tointeger(tonumber(index)), overrides[key], who)
    else
      e.default = entry.value(e, overrides[key], who)
    end
  end
  check_orders(content, touched, owner)
  return seal(content)
end

-- Tells of one default in the words of the user.
function system.default_text(e)
  if e.partition == "output" and e.abstract then return "(abstract)" end
  if e.partition == "output" then return e.size > 1 and ("[%d]"):format(e.size) or "" end
  if e.required then return "(to be connected)" end
  if e.values then return e.values[e.default] .. " (" .. table.concat(e.values, " | ") .. ")" end
  if e.abstract then return type(e.default) end
  if type(e.default) ~= "table" then return ("%.10g"):format(e.default) end
  local out = {}
  for i, v in ipairs(e.default) do out[i] = ("%.10g"):format(v) end
  return "{ " .. table.concat(out, ", ") .. " }"
end

-- Period and offset of its periodic discrete updates when all share one timing; else nil and why not.
function methods:sampling() return require("saltus.model").of(self):sampling() end

local function event_text(e)
  local when = {
    initialization = "at initialization", step = "at every step", demand = "on demand",
    period = ("every %.10g s"):format(e.every or 0) .. (e.offset ~= 0 and (", offset %.10g s"):format(e.offset) or ""),
    time = e.time_variable and "at the time in " .. e.time_variable.name or "at the time that next_time answers",
    witness = "witness, " .. (e.direction or ""),
  }
  return when[e.trigger] .. (e.kind == "none" and "" or ", " .. e.kind)
end

-- One line a name: section, name, default with unit, doc.
function system.describe(content)
  local width = 10
  for name in pairs(content.by_name) do width = math.max(width, #name) end
  for _, e in ipairs(content.events) do width = math.max(width, #e.name) end
  local lines = { ("system %s (%s)"):format(content.name, content.source) }
  local function line(section, name, text, doc)
    local l = ("  %-9s %-" .. width .. "s  %s"):format(section, name, text):gsub("%s+$", "")
    lines[#lines + 1] = doc and l .. "  -- " .. doc or l
  end
  for _, section in ipairs(entry.sections) do
    for _, e in ipairs(content[section.name]) do
      local text = system.default_text(e)
      if e.unit then text = (e.partition == "output" and "%s [%s]" or "%s %s"):format(text, e.unit):gsub("^ ", "") end
      line(section.name, e.name, text, e.doc)
    end
  end
  for _, kept in ipairs(content.pasts or {}) do line("past", kept.name, ("%.10g s"):format(kept.depth)) end
  for _, e in ipairs(content.events) do line("event", e.name, event_text(e), e.doc) end
  for _, field in ipairs(names.sorted_keys(bound)) do
    if content[field] then line("closure", field, bound[field][1]) end
  end
  return table.concat(lines, "\n")
end

return system
