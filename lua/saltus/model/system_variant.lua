-- system:with { ... }: the same system with other defaults.
local variable = require "saltus.model.variable"
local names = require "saltus.util.identifiers"

local system_variant = {}

-- A shallow copy; values that `new` maps to others are replaced.
local function copy(t, new)
  local out = {}
  for key, value in pairs(t) do out[key] = new and new[value] or value end
  return out
end

-- A copy with new entries, in which all references lead to these.
local function copy_content(content)
  local out, new = variable.all_fields(content), {}
  out.numbers, out.shape = nil, nil
  for _, section in ipairs(variable.sections) do
    for _, e in ipairs(content[section.name]) do
      new[e] = copy(e)
      new[e].default, new[e].from = variable.default_of(content, e), nil
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

local function settable(content)
  local out = {}
  for _, section in ipairs(variable.sections) do
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
  list[index] = variable.element(e, value, ("%s[%d]"):format(who, index))
  e.default = list
end

local function element(value, i) return type(value) == "table" and value[i] or value end

-- Returns what is wrong with two values, of which the first must not be above the second, element by element.
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

-- Some parameters of blocks have an order, like lower and upper.
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
function system_variant.of(original, overrides, owner)
  local content = copy_content(original)
  local touched = {}
  for _, key in ipairs(names.sorted_keys(overrides)) do
    local name, index = key, nil
    if type(key) == "string" and key:find "%]$" then name, index = key:match "^(.-)%[(%d+)%]$" end
    local e = name and content.by_name[name]
    if not e then names.fail_unknown("name %s in " .. owner, key, settable(content)) end
    local who = ("%q of %s"):format(name, owner)
    e.required, e.unset, touched[e] = nil, nil, true
    if index then
      set_element(e, math.tointeger(tonumber(index)), overrides[key], who)
    else
      e.default = variable.value(e, overrides[key], who)
    end
  end
  check_orders(content, touched, owner)
  return content
end

return system_variant
