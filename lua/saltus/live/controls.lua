-- What a page can set: parameters and inputs that are not connected, one control for each number or mode.
--
--   { path = "plant.r[2]", part = "plant", name = "r[2]", unit =, doc =, kind = "number", low =, high = }
--   { path = "mode", part = "", name = "mode", kind = "mode", modes = { "off", "on" } }
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local variable = require "saltus.model.variable"

local controls = { MOST = 200 }

local MOST_ELEMENTS = 12 -- of a vector

-- The range of a slider; any other number can be typed.
local function range(e, value)
  local low, high = math.min(0, 2 * value), math.max(0, 2 * value)
  if value == 0 or not numerals.is_finite(value) or low == -math.huge or high == math.huge then low, high = -1, 1 end
  local rules = e.rules or {}
  if rules.positive or rules.not_negative then low = math.max(low, 0) end
  return low, high
end

local function number_control(part, e, name, value)
  local low, high = range(e, value)
  return { kind = "number", path = names.join(part.path, name), part = part.path, name = name, unit = e.unit,
    doc = e.doc, low = low, high = high }
end

local function add(list, part, e)
  local default = variable.default_of(part.system, e)
  if e.values then
    list[#list + 1] = { kind = "mode", path = names.join(part.path, e.name), part = part.path, name = e.name,
      doc = e.doc, modes = e.values }
  elseif not e.vector then
    list[#list + 1] = number_control(part, e, e.name, default)
  elseif e.size <= MOST_ELEMENTS then
    for i = 1, e.size do list[#list + 1] = number_control(part, e, ("%s[%d]"):format(e.name, i), default[i]) end
  end
end

-- The controls of a model, at most controls.MOST.
function controls.of(m)
  local list = {}
  for i, part in ipairs(m.parts) do
    for _, e in ipairs(variable.in_ctx(part.system, { "params", "inputs" })) do
      if not e.abstract and not m:feeder(i, e) and #list < controls.MOST then add(list, part, e) end
    end
  end
  return list
end

-- The present values, in the order of the controls; false for an input without a value.
function controls.values(list, ctx)
  local out = {}
  for i, control in ipairs(list) do
    local ok, value = pcall(function() return ctx[control.path] end)
    out[i] = ok and value or false
  end
  return out
end

-- Returns the value of a text from a page: a number, or a word of the mode; nil and the reason if it is neither.
function controls.parse(control, text)
  if control.kind == "mode" then return text end
  local value = #text <= 40 and numerals.parse(text)
  if numerals.is_finite(value) then return value end
  return nil, ("%s must be a number"):format(control.path)
end

return controls
