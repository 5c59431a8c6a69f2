-- Two operations as one where the second alone reads what the first computes: an instruction less to go to, a number
-- less to put down and to take up; what the instruction before has just computed is not taken up either. And results
-- that stand elsewhere anyway are taken from there.
local operand_use = require "saltus.closure.compiler.operand_use"

local superinstructions = {}

local reads_of, writes = operand_use.reads, operand_use.writes
local pairs_of = { ADD = true, SUB = true, MUL = true, DIV = true }

-- The second half's name, after the operand that the first half stands for; the order of a sum's or a product's
-- operands makes no difference.
local halves = {
  b = { ADD = "ADD", SUB = "SUB", MUL = "MUL", DIV = "DIV" },
  c = { ADD = "ADD", SUB = "FROM", MUL = "MUL", DIV = "UNDER" },
}

-- Marks the operands of each instruction after which nobody reads them any more.
local function mark_last_reads(code)
  operand_use.live(code, function(n, live)
    local i = code[n]
    local to = writes(i)
    i.ends = {}
    for operand in reads_of(i):gmatch "." do i.ends[operand] = not live[i[operand]] or i[operand] == to end
  end)
end

-- Who reads, first and last, what code[n] writes, when its operands still hold what they did; and by which operand.
local function reader_of(code, n)
  local first = code[n]
  for k = n + 1, #code do
    local i = code[k]
    if i.to or i.op == "LOAD" or i.op == "STORE" then return end
    for operand in reads_of(i):gmatch "." do
      if not i.dead and i[operand] == first.a then
        return pairs_of[i.op] and i.b ~= i.c and i.ends[operand] and i, operand
      end
    end
    local to = not i.dead and writes(i)
    if to and (to == first.a or to == first.b or to == first.c) then return end
  end
end

local function join(first, second, operand)
  local other = operand == "b" and second.c or second.b
  second.op = first.op .. "_" .. halves[operand][second.op]
  second.b, second.c, second.d = first.b, first.c, other
  first.dead = true
end

-- `pinned`: places that more than the code reads.
function superinstructions.operations(code, pinned)
  mark_last_reads(code)
  for n, first in ipairs(code) do
    if pairs_of[first.op] and not pinned[first.a] then
      local second, operand = reader_of(code, n)
      if second then join(first, second, operand) end
    end
  end
  return operand_use.sweep(code)
end

local no_arithmetic = { LOAD = true, ASK = true, SELECT = true }

-- Instructions that read what the one before computes say so by the operand's name: ADD.b. Code has no use for its
-- operands' names after this.
function superinstructions.neighbours(code)
  local before = nil
  for _, i in ipairs(code) do
    local op, operand = i.op, nil
    if before and (pairs_of[op] or op:find("_", 1, true)) then
      for name in reads_of(i):gmatch "." do if i[name] == before then operand = operand or name end end
    end
    before = not no_arithmetic[op] and writes(i)
    if operand then i.op = op .. "." .. operand end
  end
  return code
end

-- Where the last straight piece begins: what stands there is always done, and once.
local function last_piece(code)
  for n = #code, 1, -1 do if code[n].to then return n + 1 end end
  return 1
end

-- The instruction from `from` on that copies a number to `place` for good, with the copied place unchanged to the end.
local function copies_to(code, from, place)
  for n = #code, from, -1 do
    if writes(code[n]) == place then
      local copied = code[n].op == "MOVE" and code[n].b
      for k = n + 1, #code do
        if operand_use.touches(code[k], place) or writes(code[k]) == copied then return nil end
      end
      return copied and code[n]
    end
    if code[n].op == "LOAD" or code[n].op == "STORE" then return nil end
  end
end

-- Results that are copies at the end are taken from what was copied: `stores`, of one number each, tell from where.
function superinstructions.results(code, stores)
  local from = last_piece(code)
  for _, store in ipairs(stores) do
    local copy = copies_to(code, from, store[4])
    if copy then
      store[4], store[5] = copy.b, 0
      copy.dead = true
    end
  end
  return operand_use.sweep(code)
end

return superinstructions
