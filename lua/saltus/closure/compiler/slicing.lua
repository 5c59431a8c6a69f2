-- Finds where a condition may change. Each comparison in its closure that reads a continuous value (flow) becomes a
-- program of its own, a slice. It returns the difference of the compared values, which crosses zero where the
-- comparison changes. The engine searches for that point in a step (src/engine/witness/condition_search.c); the closure
-- itself decides.
--
-- A slice is the closure's program up to the comparison. A jump that depends on continuous values takes the branch to
-- the comparison, if only one branch leads there. Other jumps, on modes and constant numbers, remain: if they do not
-- lead to the comparison, the slice returns NaN, which the engine ignores.
local Emitter = require "saltus.closure.compiler.emitter"
local Writer = require "saltus.closure.source_writer"
local data_flow = require "saltus.closure.compiler.data_flow"
local names = require "saltus.util.names"
local operand_use = require "saltus.closure.compiler.operand_use"
local optimizer = require "saltus.closure.compiler.optimizer"
local translator = require "saltus.closure.compiler.translator"

local slicing = {}

local ordered = { JLT = true, JNLT = true, JLE = true, JNLE = true }
local equal = { JEQ = true, JNEQ = true }
local rounds = { FLOOR = true, CEIL = true, IDIV = true }
local moves_by_itself = { q = true, v = true, z = true, time = true }

-- ---- what flows ----

-- How certainly a place changes during integration. SURELY: a state or the time. PERHAPS: a port, or a rounded number.
-- TRUTH: the result of a comparison.
local TRUTH, PERHAPS, SURELY = 0.5, 1, 2

local function flows_of_entries(b)
  local flow = {}
  for _, e in ipairs(b.read_of) do
    local how = moves_by_itself[e.partition] and SURELY or Writer.is_port(e) and not e.values and PERHAPS or nil
    local first = b.place_of[e.partition == "time" and "time" or e]
    for place = first, first + e.size - 1 do flow[place] = how end
  end
  return flow
end

local function read_flow(flow, i)
  local most = i.op == "ASK" and SURELY or 0
  for operand in operand_use.reads(i):gmatch "." do most = math.max(most, flow[i[operand]] or 0) end
  if i.op == "LOAD" then for place = i.b, i.b + i.d - 1 do most = math.max(most, flow[place] or 0) end end
  if rounds[i.op] then most = math.min(most, PERHAPS) end
  return most
end

-- Merges two states of knowledge; returns true if `into` changes.
local function merge(into, from)
  local grown = false
  for place, how in pairs(from) do
    if (into[place] or 0) < how then into[place], grown = how, true end
  end
  return grown
end

local function step(flow, i, truths)
  local to = operand_use.writes(i)
  if to then flow[to] = i.op == "MOVE" and truths[i.b] and TRUTH or read_flow(flow, i) end
  if i.op ~= "STORE" then return end
  for place = i.b, i.b + i.d - 1 do merge(flow, { [place] = read_flow(flow, i) }) end
end

-- The certainty for each place, before each instruction that can be reached. `steered`: by instruction, whether
-- something that flows decides that it runs.
local function flow_of(b, at, steered)
  local truths = { [b:constant(0)] = true, [b:constant(1)] = true }
  return data_flow.of(1, flows_of_entries(b), names.merged, merge, function(flow, n, reach)
    local i = b.code[n]
    step(flow, i, truths)
    local to = steered[n] and operand_use.writes(i)
    if to then merge(flow, { [to] = PERHAPS }) end
    if i.to and i.op ~= "LABEL" then reach(at[i.to], flow) end
    if i.op ~= "JMP" and n < #b.code then reach(n + 1, flow) end
  end)
end

-- ---- ways ----

-- Instructions that a jump backwards may repeat, so that they compare many values.
local function repeated_of(code, at)
  local repeated = {}
  for n, i in ipairs(code) do
    local to = i.to and i.op ~= "LABEL" and at[i.to]
    for k = to and to < n and to or n + 1, n do repeated[k] = true end
  end
  return repeated
end

-- Instructions from which `goal` can be reached. Without loops they all come before it.
local function ways_to(code, at, goal, has_loops)
  local leads = { [goal] = true }
  repeat
    local grown = false
    for n = has_loops and #code or goal - 1, 1, -1 do
      local i = code[n]
      local jumps = i.to and i.op ~= "LABEL"
      local on = i.op ~= "JMP" and leads[n + 1] or jumps and leads[at[i.to]]
      if on and not leads[n] then leads[n], grown = true, true end
    end
  until not grown or not has_loops
  return leads
end

-- ---- one slice ----

-- Replaces a jump that depends on flowing values.
local function lead(i, falls, taken)
  if falls == taken then return names.merged(i) end
  return taken and { op = "JMP", a = 0, b = 0, c = 0, d = 0, to = i.to } or nil
end

local function cut(b, at, goal, steered, has_loops)
  local code, ending = {}, {}
  local result = b:room(1)
  local leads = ways_to(b.code, at, goal, has_loops)
  local function put(op, x, y, z, to)
    code[#code + 1] = { op = op, a = x or 0, b = y or 0, c = z or 0, d = 0, to = to }
  end
  put("MOVE", result, b:constant(0 / 0))
  for n, i in ipairs(b.code) do
    if n == goal then
      put("SUB", result, i.b, i.a)
      put("JMP", 0, 0, 0, ending)
    elseif steered[n] then
      code[#code + 1] = lead(i, leads[n + 1], leads[at[i.to]])
    else
      code[#code + 1] = names.merged(i)
    end
  end
  put("LABEL", 0, 0, 0, ending)
  put "END"
  local stores = { { 0, 0, 1, result, 0 } }
  return { made = translator.describe(b, optimizer.code(code, stores), stores), nodes = b.fetches, fn = b.c.fn }
end

-- ---- a closure ----

local function follow(system, fn)
  local all = setmetatable({}, { __index = function() return true end })
  local b = Emitter.new { kind = "when", fn = fn, system = system, seen = all, reads = {}, writes = {} }
  translator.follow(b, b.c, { { is = "ctx" } })
  return b
end

-- The certainty for the compared values of an instruction; 0: it compares nothing.
local function compared(known, i)
  if not known or not (ordered[i.op] or equal[i.op]) then return 0 end
  return math.max(known[i.a] or 0, known[i.b] or 0)
end

-- Adds the instructions to which only one way of the jump code[n] leads, before code[n] runs again. The ways are
-- followed in the order of the code, up to where they meet.
local function steer(steered, code, at, n)
  local by, waiting, count, k = {}, {}, 0, #code
  local function reach(place, ways)
    local more = (by[place] or 0) | ways
    if place == n or not code[place] or by[place] == more then return end
    if not waiting[place] then waiting[place], count = true, count + 1 end
    by[place], k = more, math.min(k, place)
  end
  reach(n + 1, 1)
  reach(at[code[n].to], 2)
  while count > 1 or count == 1 and by[next(waiting)] < 3 do
    while not waiting[k] do k = k + 1 end
    local i, ways = code[k], by[k]
    waiting[k], count = nil, count - 1
    if i.op ~= "JMP" then reach(k + 1, ways) end
    if i.to and i.op ~= "LABEL" then reach(at[i.to], ways) end
  end
  for place, ways in pairs(by) do steered[place] = steered[place] or ways < 3 end
end

-- Returns moves(n, place): whether integration may change what is there before instruction n, by what is computed or by
-- what decides which of several values is written. Also returns the instructions that may run more than once.
function slicing.moving(b)
  local at, steered, seen = operand_use.labels(b.code), {}, {}
  local flow, grown
  repeat
    flow, grown = flow_of(b, at, steered), false
    for n, i in ipairs(b.code) do
      if not seen[n] and compared(flow[n], i) >= PERHAPS then
        steer(steered, b.code, at, n)
        seen[n], grown = true, true
      end
    end
  until not grown
  local function moves(n, place) return flow[n] ~= nil and (flow[n][place] or 0) >= PERHAPS end
  return moves, repeated_of(b.code, at)
end

-- Whether integration can change the truth of a function's result; nil: the function stays in Lua.
function slicing.flows(system, fn)
  local b = Emitter.attempt(follow, system, fn)
  if not b then return nil end
  local flow = flow_of(b, operand_use.labels(b.code), {})
  for n, i in ipairs(b.code) do
    if compared(flow[n], i) >= PERHAPS then return true end
  end
  return false
end

-- The slices of a condition: a list of { made = what core:program takes, fn =, nodes = what the slice fetches from
-- the upvalues of fn }; true if every comparison of flowing values has a slice; true if it compares flowing numbers
-- by == or ~=. nil: the function stays in Lua.
function slicing.of(system, fn)
  local b = Emitter.attempt(follow, system, fn)
  if not b then return nil end
  local at = operand_use.labels(b.code)
  local flow, repeated = flow_of(b, at, {}), repeated_of(b.code, at)
  local goals, steered, whole, equals = {}, {}, true, false
  for n, i in ipairs(b.code) do
    local how = compared(flow[n], i)
    if how >= PERHAPS and not repeated[n] then goals[#goals + 1] = n end
    equals = equals or equal[i.op] and how == SURELY
    whole = whole and not (how >= PERHAPS and repeated[n])
    steered[n] = how > 0 and not repeated[n] or nil
  end
  local has_loops = operand_use.has_loops(b.code, at)
  local list = names.map(goals, function(goal) return Emitter.attempt(cut, b, at, goal, steered, has_loops) end)
  return list, whole and #list == #goals, equals
end

return slicing
