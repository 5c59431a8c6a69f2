-- The kinds of values that a register may have. Numbers are "float", "integer", or "number" if either is possible; all
-- are doubles, and integers are within 2^53. "boolean" is 1 or 0. Values that need no register have tables as kinds:
-- ctx, a vector, a function, a known integer. Each kind is made once, so equal kinds are the same table.
local types = {}

local is_number = { float = true, integer = true, number = true }

-- "float", "integer" or "number"; nil if a kind is not a number.
function types.number(kind)
  if is_number[kind] then return kind end
  return type(kind) == "table" and kind.is == "known" and "integer" or nil
end

function types.is(kind, what) return type(kind) == "table" and kind.is == what end

local texts = setmetatable({}, { __mode = "v" })

-- The kind of a value that is one of several strings. A program has numbers for them (Emitter:text).
function types.texts(list)
  local key = ("s"):rep(#list):pack(table.unpack(list))
  texts[key] = texts[key] or { is = "texts", list = list }
  return texts[key]
end

local function both(a, b)
  local list, has = {}, {}
  for _, from in ipairs { a.list, b.list } do
    for _, text in ipairs(from) do
      if not has[text] then list[#list + 1], has[text] = text, true end
    end
  end
  table.sort(list)
  return types.texts(list)
end

-- The kind of a value that has either of two kinds; nil: no usable kind.
function types.join(a, b)
  if a == b then return a end
  if types.is(a, "texts") and types.is(b, "texts") then return both(a, b) end
  local na, nb = types.number(a), types.number(b)
  if not na or not nb then return nil end
  return na == nb and na or "number"
end

-- Whether a value of this kind has a place.
function types.has_place(kind)
  return types.number(kind) or kind == "boolean" or types.is(kind, "mode") or types.is(kind, "texts")
end

-- A state contains the kinds by register, `set`, the results that are certainly written, and `top`. Merges `from` into
-- `into`; returns true if `into` changes.
function types.merge(into, from)
  local changed = false
  for r, kind in pairs(into.kind) do
    local joined = types.join(kind, from.kind[r])
    if joined ~= kind then into.kind[r], changed = joined, true end
  end
  for slot in pairs(into.set) do
    if not from.set[slot] then into.set[slot], changed = nil, true end
  end
  if into.top ~= from.top and into.top then into.top, changed = nil, true end
  return changed
end

function types.copy(state)
  local out = { kind = {}, set = {}, top = state.top }
  for r, kind in pairs(state.kind) do out.kind[r] = kind end
  for slot in pairs(state.set) do out.set[slot] = true end
  return out
end

return types
