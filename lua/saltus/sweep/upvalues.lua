-- Finds upvalues that handlers change. The change stays for the next runs of a sweep, so rows may depend on the runs
-- before them.
local names = require "saltus.util.names"

local upvalues = {}

local getupvalue = debug and debug.getupvalue -- a host may have none

local plain = { number = true, string = true, boolean = true }

-- Adds the plain upvalues of a user's function, and of the functions that it calls.
local function add(fn, label, out, seen)
  if seen[fn] or not names.defined(fn) then return end
  seen[fn] = true
  for i = 1, math.huge do
    local name, value = getupvalue(fn, i)
    if not name then return end
    if plain[type(value)] then
      out[#out + 1] = { fn = fn, i = i, name = name, value = value, label = label }
    elseif type(value) == "function" then
      add(value, label, out, seen)
    end
  end
end

-- The plain upvalues of the closures that a simulator has called, with their values. Publishes change no run.
function upvalues.of(sim)
  local out, seen = {}, {}
  for k, state in ipairs(getupvalue and sim.core:programs() or {}) do
    local c = state and sim.closure(k)
    if c and c.kind ~= "publish" then add(c.fn, c.label, out, seen) end
  end
  return out
end

-- The warning about the first of them that has another value now, or nil.
function upvalues.warning(list)
  for _, item in ipairs(list) do
    local _, value = getupvalue(item.fn, item.i)
    if value ~= item.value and (value == value or item.value == item.value) then
      return ("%s (%s) uses the upvalue %q, which a run changes: rows may depend on the runs before; let a discrete "
        .. "variable of the system have the value"):format(item.label, names.defined(item.fn), item.name)
    end
  end
  return nil
end

return upvalues
