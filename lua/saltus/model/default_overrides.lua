-- system:with { ... } and model:with { ... }: the same with other defaults.
local variable = require "saltus.model.variable"
local names = require "saltus.util.names"

local default_overrides = {}

-- A shallow copy in which `new` replaces values.
local function copy(t, new)
  local out = {}
  for key, value in pairs(t) do out[key] = new[value] or value end
  return out
end

-- A copy with new entries, in which all references point to these.
local function copy_content(content)
  local out, new = variable.all_fields(content), {}
  out.numbers, out.shape = nil, nil
  for _, section in ipairs(variable.sections) do
    for _, e in ipairs(content[section.name]) do
      new[e] = names.merged(e, { default = variable.default_of(content, e) })
      new[e].from = nil
    end
    out[section.name] = copy(content[section.name], new)
  end
  for _, field in ipairs { "by_name", "ports", "slots" } do out[field] = copy(content[field], new) end
  for _, field in ipairs { "pasts", "events" } do
    out[field] = {}
    for i, item in ipairs(content[field]) do out[field][i] = copy(item, new) end
  end
  return out
end

local function set_element(e, index, value, who)
  local wrong = variable.wrong_element(e, index, who)
  if wrong then names.fail(wrong) end
  e.default = names.merged(e.default, { [index] = variable.element(e, value, ("%s[%d]"):format(who, index)) })
end

local function element(value, i) return type(value) == "table" and value[i] or value end

-- Returns the error text for two values, of which the first must not exceed the second, element by element.
local function broken_order(rules, value, other)
  local many = type(value) == "table" and value or type(other) == "table" and other or { 0 }
  for i in ipairs(many) do
    local a, b = element(value, i), element(other, i)
    if a > b or rules.less and a == b then
      return ("must %s %q, got %s and %s"):format(rules.less and "be less than" or "not be greater than",
        rules.not_above, names.show(a), names.show(b))
    end
  end
  return nil
end

-- Some parameters of blocks are ordered, like lower and upper.
local function check_orders(content, touched, owner)
  for _, e in ipairs(content.params) do
    local above = e.rules and e.rules.not_above
    local other = above and content.by_name[above]
    if other and (touched[e] or touched[other]) then
      local wrong = broken_order(e.rules, e.default, other.default)
      if wrong then names.fail("%q of %s %s", e.name, owner, wrong) end
    end
  end
end

-- The content of the same system with the defaults in `overrides`.
function default_overrides.of_system(original, overrides, owner)
  local content = copy_content(original)
  local touched = {}
  for _, key in ipairs(names.sorted_keys(overrides)) do
    local name, index = key, nil
    if type(key) == "string" then name, index = names.split_element(key) end
    local e = name and content.by_name[name]
    if not e then
      local settable = variable.in_ctx(content, variable.settable_sections)
      names.fail_unknown("name %s in " .. owner, key, names.of(settable))
    end
    local who = ("%q of %s"):format(name, owner)
    e.required, e.unset, touched[e] = nil, nil, true
    if index then
      set_element(e, index, overrides[key], who)
    else
      e.default = variable.value(e, overrides[key], who)
    end
  end
  check_orders(content, touched, owner)
  return content
end

-- A copy with other systems, whose entries have the same names.
local function with_systems(self, systems)
  local function again(part, e)
    local field = self.parts[part].system.ports[e.name] == e and "ports" or "by_name"
    return systems[part][field][e.name]
  end
  local function with_entries(list)
    local out = {}
    for key, x in pairs(list) do out[key] = names.merged(x, { entry = again(x.part, x.entry) }) end
    return out
  end
  local parts = names.map(self.parts, function(part, i) return names.merged(part, { system = systems[i] }) end)
  local connections = names.map(self.connections, function(c)
    return names.merged(c, { port = again(c.from, c.port), input = again(c.to, c.input) })
  end)
  return names.merged(self, { parts = parts, connections = connections, aliases = with_entries(self.aliases),
    inputs = with_entries(self.inputs), outputs = with_entries(self.outputs) })
end

-- The content of the model with the defaults in `overrides`, by path.
function default_overrides.of_model(self, overrides)
  names.check(type(overrides) == "table", overrides, "with takes a table")
  local by_part = {}
  for _, path in ipairs(names.sorted_keys(overrides)) do
    local part, e, index = self:resolve(path)
    if not part then names.fail(e) end
    self:check_not_fed(part, e, path)
    if not index then variable.value(e, overrides[path], ("%q"):format(path)) end
    local key = index and ("%s[%d]"):format(e.name, index) or e.name
    by_part[part] = by_part[part] or {}
    by_part[part][key] = overrides[path]
  end
  return with_systems(self, names.map(self.parts, function(part, i)
    return by_part[i] and part.system:with(by_part[i], part.path ~= "" and part.path or nil) or part.system
  end))
end

return default_overrides
