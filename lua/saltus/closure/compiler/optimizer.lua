-- Takes out of a program what need not be done: copies of what stands elsewhere, what was computed before, results
-- that nobody reads, jumps to where one comes anyway.
local superinstructions = require "saltus.closure.compiler.superinstructions"
local operand_use = require "saltus.closure.compiler.operand_use"

local optimizer = {}

local reads_of, writes = operand_use.reads, operand_use.writes

-- Besides EXACT and STORE, what gives up where Lua's closure may raise an error: it is done even if nobody reads it.
local gives_up = { ASK = true, LOAD = true }

-- Places that are read or written by number, and results: a program's end reads them all.
local function pinned_places(code, stores)
  local pinned = {}
  local function pin(first, size) for place = first, first + size - 1 do pinned[place] = true end end
  for _, store in ipairs(stores) do pin(store[4], store[3]) end
  for _, i in ipairs(code) do if i.op == "LOAD" or i.op == "STORE" then pin(i.b, i.d) end end
  return pinned
end

-- ---- a place for each value ----

-- Marks what is written and not read beyond its straight piece, or written again there.
local function mark_passing(code, pinned)
  local written, ending = {}, nil
  operand_use.live(code, function(n, live)
    local i = code[n]
    if n == #code or i.to then written, ending = {}, nil end
    if not ending and not i.to then
      ending = {}
      for place in pairs(live) do ending[place] = true end
    end
    local to = writes(i)
    if to and not pinned[to] then
      i.passing = written[to] or not ending[to]
      written[to] = true
    end
  end)
end

-- Registers are used again and again: each value of a straight piece takes a place of its own, so that it stays.
local function part_values(code, pinned, fresh)
  mark_passing(code, pinned)
  operand_use.pieces(code, function(first, last)
    local now = {}
    for n = first, last do
      local i = code[n]
      for operand in reads_of(i):gmatch "." do i[operand] = now[i[operand]] or i[operand] end
      local to = writes(i)
      if to then
        now[to] = i.passing and fresh() or nil
        i.a = now[to] or to
      end
    end
  end)
end

-- ---- copies, and what was computed before ----

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

-- What an instruction computes, by the writings that it reads.
local function name_of(i, written)
  local name = { i.op }
  for operand in reads_of(i):gmatch "." do
    name[#name + 1] = ("%d.%d"):format(i[operand], written[i[operand]] or 0)
  end
  return table.concat(name, " ")
end

-- What was computed before, in the same straight piece, is copied. `written`: how often each place was.
local function reuse(code)
  local known, written = {}, {}
  local function count(place) written[place] = (written[place] or 0) + 1 end
  for _, i in ipairs(code) do
    local name, to = operand_use.is_pure(i) and name_of(i, written), writes(i)
    local before = known[name]
    if to then count(to) end
    if i.op == "LABEL" then known = {} end
    if i.op == "STORE" then for place = i.b, i.b + i.d - 1 do count(place) end end
    if before and written[before.place] == before.written then
      i.op, i.b, i.c = "MOVE", before.place, 0
    elseif name then
      known[name] = { place = to, written = written[to] }
    end
  end
end

-- ---- what is never read ----

local function drop_unread(code, pinned)
  operand_use.live(code, function(n, live)
    local i, to = code[n], writes(code[n])
    local unread = to and not live[to] and not pinned[to] and not gives_up[i.op]
    i.dead = unread or i.op == "MOVE" and i.a == i.b
  end)
  return operand_use.sweep(code)
end

-- Where the instruction stands, in the same straight piece, that computes what `code[n]` copies; nil when it cannot
-- write to the copy's place at once.
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

-- Computes at once where it is copied to afterwards.
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

-- Labels that nothing jumps to end no straight piece.
local function drop_labels(code)
  local wanted = {}
  for _, i in ipairs(code) do if i.op ~= "LABEL" and i.to then wanted[i.to] = true end end
  for _, i in ipairs(code) do i.dead = i.op == "LABEL" and not wanted[i.to] end
  return operand_use.sweep(code)
end

-- The same program with less to do. `stores`: what is read at its end, number by number, which may change where;
-- fresh() returns a new place.
function optimizer.code(code, stores, fresh)
  local pinned = pinned_places(code, stores)
  code = drop_labels(drop_jumps(code))
  part_values(code, pinned, fresh)
  follow_copies(code)
  reuse(code)
  follow_copies(code)
  code = drop_unread(code, pinned)
  code = superinstructions.results(join_copies(code, pinned), stores)
  code = drop_labels(drop_jumps(code))
  return superinstructions.neighbours(superinstructions.operations(code, pinned_places(code, stores)))
end

-- The places that a program reads, or that are read at its end.
function optimizer.read_places(code, stores)
  local read = pinned_places(code, stores)
  for _, i in ipairs(code) do
    for operand in reads_of(i):gmatch "." do read[i[operand]] = true end
  end
  return read
end

-- Jumps know where to, by number from 0 on; labels are gone.
function optimizer.place_jumps(code)
  local at, out = {}, {}
  for _, i in ipairs(code) do
    if i.op == "LABEL" then at[i.to] = #out else out[#out + 1] = i end
  end
  for _, i in ipairs(out) do if i.to then i.c = at[i.to] end end
  return out
end

return optimizer
