-- Finds upvalues that handlers change. The change stays for the next runs of a sweep, so rows may depend on the runs
-- before them.
local names = require "saltus.util.names"
local upvalues = require "saltus.util.upvalues"

local changed_upvalues = {}

local plain = { number = true, string = true, boolean = true }

-- The plain upvalues of the closures that a simulator has called, with their values. Publishes change no run.
function changed_upvalues.of(sim)
  local out, seen = {}, {}
  for k, state in ipairs(sim.core:programs()) do
    local c = state and sim.closure(k)
    if c and c.kind ~= "publish" then
      upvalues.visit(c.fn, seen, function(fn, i, name, value)
        if plain[type(value)] then out[#out + 1] = { fn = fn, i = i, name = name, value = value, label = c.label } end
      end)
    end
  end
  return out
end

-- The warning about the first of them that has another value now, or nil.
function changed_upvalues.warning(list)
  for _, item in ipairs(list) do
    if upvalues.differs(upvalues.value(item.fn, item.i), item.value) then
      return ("%s (%s) uses the upvalue %q, which a run changes: rows may depend on the runs before; let a discrete "
        .. "variable of the system have the value"):format(item.label, names.defined(item.fn), item.name)
    end
  end
  return nil
end

return changed_upvalues
