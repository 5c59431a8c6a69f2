-- What a register is known to hold. Numbers: "float", "integer", or "number" when it may be either; all are
-- kept as doubles, integers within 2^53. "boolean" is 1 or 0. Tables stand for what needs no register: ctx, a
-- vector, a function, an integer that is known; each is made once, so that equal kinds are the same.
local kinds = {}

local is_number = { float = true, integer = true, number = true }

-- "float", "integer" or "number"; nil for what is none.
function kinds.number(kind)
  if is_number[kind] then return kind end
  return type(kind) == "table" and kind.is == "known" and "integer" or nil
end

function kinds.is(kind, what) return type(kind) == "table" and kind.is == what end

-- What holds both ways; nil: nothing that can be used.
function kinds.join(a, b)
  if a == b then return a end
  local na, nb = kinds.number(a), kinds.number(b)
  if not na or not nb then return nil end
  return na == nb and na or "number"
end

-- A state: kinds by register, `set`: results that are surely written. Changes `into`; answers whether it did.
function kinds.merge(into, from)
  local changed = false
  for r, kind in pairs(into.kind) do
    local joined = kinds.join(kind, from.kind[r])
    if joined ~= kind then into.kind[r], changed = joined, true end
  end
  for slot in pairs(into.set) do
    if not from.set[slot] then into.set[slot], changed = nil, true end
  end
  if into.top ~= from.top and into.top then into.top, changed = nil, true end
  return changed
end

function kinds.copy(state)
  local out = { kind = {}, set = {}, top = state.top }
  for r, kind in pairs(state.kind) do out.kind[r] = kind end
  for slot in pairs(state.set) do out.set[slot] = true end
  return out
end

-- Truth of a kind: true, false, or nil when it is known at run time only.
function kinds.truth(kind)
  if kind == "boolean" then return nil end
  return kind ~= "nil"
end

return kinds
