-- The places that the instructions of a program read and write (src/tape/bytecode_vm.h). Code is a list of { op, a, b,
-- c, d, to }. Jumps and labels have a label `to`. The name of two operations in one contains a _; a name that ends with
-- an operand takes that operand from the previous instruction: MUL_ADD.d.
local operand_use = {}

local reads = { ASK = "b", MOVE = "b", UNM = "b", NOT = "b", ABS = "b", FLOOR = "b", CEIL = "b", SQRT = "b",
  SIN = "b", COS = "b", SINCOS = "b", TAN = "b", ASIN = "b", ACOS = "b", EXP = "b", LOG = "b",
  SINE = "b", COSINE = "b", TANGENT = "b", EXPONENTIAL = "b", LOGARITHM = "b",
  SELECT = "bcd", LOAD = "c", STORE = "ac", EXACT = "a",
  JMP = "", LABEL = "", END = "", JLT = "ab", JNLT = "ab", JLE = "ab", JNLE = "ab", JEQ = "ab", JNEQ = "ab" }
local plain = { STORE = true, EXACT = true, JMP = true, LABEL = true, END = true, JLT = true, JNLT = true, JLE = true,
  JNLE = true, JEQ = true, JNEQ = true }

function operand_use.reads(i) return reads[i.op] or i.op:find("_", 1, true) and "bcd" or "bc" end

-- The place that an instruction writes, and another one; nil: none.
function operand_use.writes(i) return not plain[i.op] and i.a or nil, i.op == "SINCOS" and i.c or nil end

function operand_use.touches(i, place)
  local to, also = operand_use.writes(i)
  if to == place or also == place then return true end
  for operand in operand_use.reads(i):gmatch "." do if i[operand] == place then return true end end
  return false
end

-- The code without instructions marked dead.
function operand_use.sweep(code)
  local out = {}
  for _, i in ipairs(code) do if not i.dead then out[#out + 1] = i end end
  return out
end

-- The place of each label.
function operand_use.labels(code)
  local at = {}
  for n, i in ipairs(code) do if i.op == "LABEL" then at[i.to] = n end end
  return at
end

-- Whether a jump leads backwards.
function operand_use.has_loops(code, at)
  for n, i in ipairs(code) do if i.to and at[i.to] < n then return true end end
  return false
end

-- ---- liveness ----

local function add(into, from)
  local grown = false
  for place in pairs(from or {}) do if not into[place] then into[place], grown = true, true end end
  return grown
end

local function written_places(code)
  local written = {}
  for _, i in ipairs(code) do
    for _, to in pairs { operand_use.writes(i) } do written[to] = true end
  end
  return written
end

-- One pass backwards over the places `of`. `at_label`: what is live at each label; `at_end`: at the end, or nil. Calls
-- see(n, live after n). Returns whether more was live at a label, and what is live at the start.
local function backwards(code, of, at_label, at_end, see)
  local live, grown = {}, false
  add(live, at_end)
  for n = #code, 1, -1 do
    local i = code[n]
    if i.op == "JMP" then live = {} end
    if i.to and i.op ~= "LABEL" then add(live, at_label[i.to]) end
    if see then see(n, live) end
    if not i.dead then
      local to, also = operand_use.writes(i)
      if to then live[to] = nil end
      if also then live[also] = nil end
      for operand in operand_use.reads(i):gmatch "." do live[i[operand]] = of[i[operand]] end
    end
    if i.op == "LABEL" then
      at_label[i.to] = at_label[i.to] or {}
      grown = add(at_label[i.to], live) or grown
      local copy = {}
      add(copy, live)
      live = copy
    end
  end
  return grown, live
end

-- Calls see(n, places that are read after instruction n before they are written), from the last instruction to the
-- first. Instructions that `see` marks dead read nothing. The places are those that the code writes: a hundred
-- comparisons have a hundred constants, which would be copied at each label.
function operand_use.live(code, see)
  local at_label, written = {}, written_places(code)
  if operand_use.has_loops(code, operand_use.labels(code)) then repeat until not backwards(code, written, at_label) end
  backwards(code, written, at_label, nil, see)
end

-- The places that are read before they are written, or are wanted `at_end` and not written, from the start on. All of
-- the code can be reached.
function operand_use.live_at_start(code, at_end)
  local at_label, written = {}, written_places(code)
  repeat until not backwards(code, written, at_label, at_end)
  local _, live = backwards(code, written, at_label, at_end)
  for _, i in ipairs(code) do
    for operand in operand_use.reads(i):gmatch "." do
      if not written[i[operand]] then live[i[operand]] = true end
    end
  end
  return live
end

return operand_use
