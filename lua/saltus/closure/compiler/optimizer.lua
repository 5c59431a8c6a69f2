-- Removes unnecessary instructions: copies of values that are elsewhere, results that nothing reads, jumps to the next
-- instruction. A result that only copies a number that is given is stored from that number's place.
local superinstructions = require "saltus.closure.compiler.superinstructions"
local operand_use = require "saltus.closure.compiler.operand_use"

local optimizer = {}

local reads_of, writes = operand_use.reads, operand_use.writes

-- Besides EXACT and STORE, these give up if the closure may raise an error, so they run even if nothing reads their
-- results.
local gives_up = { ASK = true, LOAD = true }

local function pin(pinned, first, size) for place = first, first + size - 1 do pinned[place] = true end end

local function pin_results(pinned, stores)
  for _, store in ipairs(stores) do pin(pinned, store[4], store[3]) end
  return pinned
end

-- Places that are read or written by number.
local function pin_numbered(pinned, code)
  for _, i in ipairs(code) do if i.op == "LOAD" or i.op == "STORE" then pin(pinned, i.b, i.d) end end
  return pinned
end

-- They are all live at the end of a program.
local function pinned_places(code, stores) return pin_numbered(pin_results({}, stores), code) end

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

-- Reads the original in place of its copy, up to the next label.
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

-- How many instructions write each place.
local function count_writes(code)
  local count = {}
  local function add(first, size)
    for place = first, first + size - 1 do count[place] = (count[place] or 0) + 1 end
  end
  for _, i in ipairs(code) do
    if i.op == "STORE" then add(i.b, i.d) elseif writes(i) then add(i.a, 1) end
  end
  return count
end

-- Stores the original in place of its copy. Only what comes before the first jump or label is sure to run.
local function store_originals(code, stores)
  local count, original = count_writes(code), {}
  for _, i in ipairs(code) do
    if i.to then break end
    if i.op == "MOVE" and count[i.a] == 1 and not count[i.b] then original[i.a] = i.b end
  end
  for _, store in ipairs(stores) do
    if store[5] == 0 then store[4] = original[store[4]] or store[4] end
  end
end

-- ---- dead code ----

-- Drops results that nothing reads, and jumps over nothing else.
local function drop_unread(code, pinned)
  local at, left = operand_use.labels(code), #code -- the next instruction that is left
  operand_use.live(code, function(n, live)
    local i, to = code[n], writes(code[n])
    local unread = to and not live[to] and not pinned[to] and not gives_up[i.op]
    local idle = i.op ~= "LABEL" and i.to and at[i.to] > n and at[i.to] <= left
    i.dead = unread or idle or i.op == "MOVE" and i.a == i.b
    if not i.dead and i.op ~= "LABEL" then left = n end
  end)
  return operand_use.sweep(code)
end

-- The index of the instruction, in the same straight piece, that computes what `code[n]` copies; nil if it cannot write
-- to the copy's place itself.
local function maker_of(code, n)
  local from, to = code[n].b, code[n].a
  for k = n - 1, 1, -1 do
    local i = code[k]
    if not i.dead then
      if writes(i) == from then return k end
      if i.to or i.op == "LOAD" or i.op == "STORE" or operand_use.touches(i, to) then return nil end
    end
  end
end

-- Computes each value in the place to which it would be copied.
local function join_copies(code, pinned)
  operand_use.live(code, function(n, live)
    local i = code[n]
    i.last = i.op == "MOVE" and not live[i.b] and not pinned[i.b]
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
  return operand_use.sweep(code)
end

-- ---- jumps ----

local function drop_unreachable(code)
  local at, reached, work = operand_use.labels(code), { [#code] = true }, { 1 }
  while #work > 0 do
    local n = table.remove(work)
    local i = not reached[n] and code[n]
    reached[n] = true
    if i and i.op ~= "JMP" then work[#work + 1] = n + 1 end
    if i and i.to and i.op ~= "LABEL" then work[#work + 1] = at[i.to] end
  end
  for n, i in ipairs(code) do i.dead = not reached[n] end
  return operand_use.sweep(code)
end

local function drop_jumps(code)
  local at = operand_use.labels(code)
  for n, i in ipairs(code) do
    if i.op == "JMP" then
      local k = n + 1
      while code[k] and code[k].op == "LABEL" and at[i.to] ~= k do k = k + 1 end
      i.dead = at[i.to] == k
    end
  end
  return operand_use.sweep(code)
end

-- Drops labels that nothing jumps to.
local function drop_labels(code)
  local wanted = {}
  for _, i in ipairs(code) do if i.op ~= "LABEL" and i.to then wanted[i.to] = true end end
  for _, i in ipairs(code) do i.dead = i.op == "LABEL" and not wanted[i.to] end
  return operand_use.sweep(code)
end

-- The same program with fewer instructions. `stores`: the results, number by number; their places may change.
function optimizer.code(code, stores)
  code = drop_labels(drop_jumps(drop_unreachable(code)))
  follow_copies(code)
  store_originals(code, stores)
  local pinned = pinned_places(code, stores)
  code = join_copies(drop_labels(drop_unread(code, pinned)), pinned)
  code = superinstructions.sines(superinstructions.operations(code, pinned))
  return superinstructions.neighbours(code)
end

-- The places that need a value at the start of a program: it reads them, or leaves them as results, before it has
-- written them.
function optimizer.needed_places(code, stores)
  return pin_numbered(operand_use.live_at_start(code, pin_results({}, stores)), code)
end

-- The code without labels. Each jump has the number of the instruction to which it leads, from 0 on.
function optimizer.place_jumps(code)
  local at, out = {}, {}
  for _, i in ipairs(code) do
    if i.op == "LABEL" then at[i.to] = #out else out[#out + 1] = i end
  end
  for _, i in ipairs(out) do if i.to then i.c = at[i.to] end end
  return out
end

return optimizer
