-- Takes out of a program what need not be done: copies of what stands elsewhere, results that nobody reads, jumps to
-- where one comes anyway. Code is a list of { op, a, b, c, d, to }; jumps name labels (see builder.lua).
local tidy = {}

-- Which operands an instruction reads; all but those in `plain` write a.
local reads = { ASK = "b", MOVE = "b", UNM = "b", NOT = "b", ABS = "b", FLOOR = "b", CEIL = "b", SQRT = "b",
  SIN = "b", COS = "b",
  TAN = "b", ASIN = "b", ACOS = "b", EXP = "b", LOG = "b", SELECT = "bcd", LOAD = "c", STORE = "ac", EXACT = "a",
  JMP = "", LABEL = "", END = "", JLT = "ab", JNLT = "ab", JLE = "ab", JNLE = "ab", JEQ = "ab", JNEQ = "ab" }
local plain = { STORE = true, EXACT = true, JMP = true, LABEL = true, END = true, JLT = true, JNLT = true, JLE = true,
  JNLE = true, JEQ = true, JNEQ = true }

-- Besides EXACT and STORE, what gives up where Lua's closure may raise an error: it is done even if nobody reads it.
local gives_up = { ASK = true, LOAD = true }

local function reads_of(i) return reads[i.op] or "bc" end

local function writes(i) return not plain[i.op] and i.a or nil end

-- Places that are read or written by number, and results: a program's end reads them all.
local function pinned_places(code, stores)
  local pinned = {}
  local function pin(first, size) for place = first, first + size - 1 do pinned[place] = true end end
  for _, store in ipairs(stores) do pin(store[4], store[3]) end
  for _, i in ipairs(code) do if i.op == "LOAD" or i.op == "STORE" then pin(i.b, i.d) end end
  return pinned
end

-- ---- copies ----

local function forget(copies, place)
  copies[place] = nil
  for to, from in pairs(copies) do if from == place then copies[to] = nil end end
end

local function forget_range(copies, i)
  for to, from in pairs(copies) do
    if from >= i.b and from < i.b + i.d or to >= i.b and to < i.b + i.d then copies[to] = nil end
  end
end

-- Reads what a copy was made of, as far as the next label.
local function follow_copies(code)
  local copies = {}
  for _, i in ipairs(code) do
    for operand in reads_of(i):gmatch "." do i[operand] = copies[i[operand]] or i[operand] end
    local to = writes(i)
    if i.op == "LABEL" then copies = {} end
    if i.op == "STORE" then forget_range(copies, i) end
    if to then forget(copies, to) end
    if i.op == "MOVE" and i.b ~= to then copies[to] = i.b end
  end
end

-- ---- what is never read ----

-- Labels by where they stand.
local function places_of_labels(code)
  local at = {}
  for n, i in ipairs(code) do if i.op == "LABEL" then at[i.to] = n end end
  return at
end

local function add(into, from)
  local grown = false
  for place in pairs(from or {}) do if not into[place] then into[place], grown = true, true end end
  return grown
end

-- One pass backwards; `at_label`: what is live at each. Calls see(n, live after n).
local function backwards(code, at_label, see)
  local live, grown = {}, false
  for n = #code, 1, -1 do
    local i = code[n]
    if i.op == "JMP" then live = {} end
    if i.to and i.op ~= "LABEL" then add(live, at_label[i.to]) end
    if see then see(n, live) end
    if not i.dead then
      if writes(i) then live[i.a] = nil end
      for operand in reads_of(i):gmatch "." do live[i[operand]] = true end
    end
    if i.op == "LABEL" then
      at_label[i.to] = at_label[i.to] or {}
      grown = add(at_label[i.to], live) or grown
      local copy = {}
      add(copy, live)
      live = copy
    end
  end
  return grown
end

local function liveness(code)
  local at_label = {}
  repeat until not backwards(code, at_label)
  return at_label
end

local function sweep(code)
  local out = {}
  for _, i in ipairs(code) do if not i.dead then out[#out + 1] = i end end
  return out
end

local function drop_unread(code, pinned)
  backwards(code, liveness(code), function(n, live)
    local i, to = code[n], writes(code[n])
    local unread = to and not live[to] and not pinned[to] and not gives_up[i.op]
    i.dead = unread or i.op == "MOVE" and i.a == i.b
  end)
  return sweep(code)
end

local function touches(i, place)
  if writes(i) == place then return true end
  for operand in reads_of(i):gmatch "." do if i[operand] == place then return true end end
  return false
end

-- Where the instruction stands, in the same straight piece, that computes what `code[n]` copies; nil when it cannot
-- write to the copy's place at once.
local function maker_of(code, n)
  local from, to = code[n].b, code[n].a
  for k = n - 1, 1, -1 do
    local i = code[k]
    if not i.dead then
      if writes(i) == from then return k end
      if i.to or i.op == "LOAD" or i.op == "STORE" or touches(i, to) then return nil end
    end
  end
end

-- Computes at once where it is copied to afterwards.
local function join_copies(code, pinned)
  backwards(code, liveness(code), function(n, live)
    local i = code[n]
    if i.op ~= "MOVE" or live[i.b] or pinned[i.b] then return end
    i.last = true
  end)
  for n, i in ipairs(code) do
    local k = i.last and maker_of(code, n)
    if k then
      code[k].a = i.a
      for between = k + 1, n - 1 do
        for operand in reads_of(code[between]):gmatch "." do
          if code[between][operand] == i.b then code[between][operand] = i.a end
        end
      end
      i.dead = true
    end
  end
  return sweep(code)
end

-- ---- jumps ----

local function drop_jumps(code)
  local at = places_of_labels(code)
  for n, i in ipairs(code) do
    if i.op == "JMP" then
      local k = n + 1
      while code[k] and code[k].op == "LABEL" and at[i.to] ~= k do k = k + 1 end
      i.dead = at[i.to] == k
    end
  end
  return sweep(code)
end

-- Labels that nothing jumps to end no straight piece.
local function drop_labels(code)
  local wanted = {}
  for _, i in ipairs(code) do if i.op ~= "LABEL" and i.to then wanted[i.to] = true end end
  for _, i in ipairs(code) do i.dead = i.op == "LABEL" and not wanted[i.to] end
  return sweep(code)
end

-- The same program with less to do. `stores`: what is read at its end.
function tidy.code(code, stores)
  local pinned = pinned_places(code, stores)
  code = drop_labels(drop_jumps(code))
  follow_copies(code)
  code = drop_unread(code, pinned)
  code = join_copies(code, pinned)
  return drop_labels(drop_jumps(code))
end

-- Jumps know where to, by number from 0 on; labels are gone.
function tidy.place_jumps(code)
  local at, out = {}, {}
  for _, i in ipairs(code) do
    if i.op == "LABEL" then at[i.to] = #out else out[#out + 1] = i end
  end
  for _, i in ipairs(out) do if i.to then i.c = at[i.to] end end
  return out
end

return tidy
