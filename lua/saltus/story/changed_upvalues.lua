-- What the functions of stories use from outside: local variables of the file, and tables. A story that changes them
-- cannot be told again, since it would change them twice.
local names = require "saltus.util.names"
local upvalues = require "saltus.util.upvalues"

local changed_upvalues = {}

local MOST = 10000 -- items of a table that are compared

local function is_module(value)
  for _, module in pairs(package.loaded) do
    if rawequal(module, value) then return true end
  end
  return false
end

local scalar = { number = true, string = true, boolean = true, ["nil"] = true }

-- The scalars of a table and of tables in it, in an order that does not matter: a number.
local function digest(value, seen, budget)
  local sum = 0
  for key, item in next, value do
    budget.left = budget.left - 1
    if budget.left < 0 then break end
    local text = type(item) .. (scalar[type(item)] and tostring(item) or "")
    if type(item) == "table" and not seen[item] and not getmetatable(item) and not is_module(item) then
      seen[item] = true
      text = text .. digest(item, seen, budget)
    end
    text = tostring(scalar[type(key)] and key or "") .. "=" .. text
    local hash = 5381
    for i = 1, #text do hash = (hash * 33 + text:byte(i)) & 0x7fffffffffff end
    sum = sum + hash
  end
  return sum
end

local function mark(value)
  if type(value) ~= "table" then return value end
  return digest(value, { [value] = true }, { left = MOST })
end

local function is_kept(value)
  if scalar[type(value)] or type(value) == "function" then return true end
  return type(value) == "table" and not getmetatable(value) and not is_module(value)
end

-- What the function of a story, and the functions that it calls, use now.
function changed_upvalues.of(fn)
  local out = {}
  upvalues.visit(fn, {}, function(of, i, name, value)
    if is_kept(value) and name ~= "_ENV" then
      out[#out + 1] = { fn = of, i = i, name = name, mark = mark(value), type = type(value) }
    end
  end)
  return out
end

local function has_changed(item)
  local value = upvalues.value(item.fn, item.i)
  return type(value) ~= item.type or upvalues.differs(mark(value), item.mark)
end

-- Whether the same function would use something else now.
function changed_upvalues.any(list)
  for _, item in ipairs(list) do
    if has_changed(item) then return true end
  end
  return false
end

-- The first one that the story called `label` has changed, as a text for an error, or nil.
function changed_upvalues.find(list, label)
  for _, item in ipairs(list) do
    if item.type ~= "function" and has_changed(item) then
      return ("story %q (%s) changes the upvalue %q"):format(label, names.defined(item.fn), item.name)
    end
  end
  return nil
end

return changed_upvalues
