-- The program of a closure's phases: how far each sine, remainder or table in it has gone, in half periods and
-- intervals (src/engine/witness/undersampling.c). It is the closure's program with the phases as its results, so that
-- the optimizer drops whatever they do not need.
local Emitter = require "saltus.closure.compiler.emitter"
local names = require "saltus.util.names"
local optimizer = require "saltus.closure.compiler.optimizer"
local slicing = require "saltus.closure.compiler.slicing"
local translator = require "saltus.closure.compiler.translator"

local phases = {}

local MOST = require("saltus.core").constants.limit.phases

-- The operand that goes through periods, and that of remainders, which jump where they repeat, that is a period.
local angle_of = { SIN = "b", COS = "b", TAN = "b", SINE = "b", COSINE = "b", TANGENT = "b", MOD = "b", FMOD = "b",
  LOAD = "c" }
local period_of = { MOD = "c", FMOD = "c" }

-- Whether flow moves what decides where instruction n is in its period.
local function repeats(n, i, moves)
  local angle, period = angle_of[i.op], period_of[i.op]
  return angle and (moves(n, i[angle]) or period and moves(n, i[period]))
end

-- Adds the code that computes the phase of instruction i. In a loop it is the one that is farthest from 0: in a series
-- of sines, that of the fastest.
local function put_phase(b, code, i, place, is_repeated)
  local function put(op, a, x, y) code[#code + 1] = { op = op, a = a, b = x, c = y or 0, d = 0 } end
  local phase = is_repeated and b:room(1) or place
  if i.op == "LOAD" then
    put("MOVE", phase, i.c)
  else
    put("DIV", phase, i[angle_of[i.op]], period_of[i.op] and i.c or b:constant(math.pi))
  end
  if not is_repeated then return end
  put("ABS", phase, phase)
  put("MAX", place, phase, place)
end

-- The code, with each phase computed before what repeats, and the places of the phases. A phase that a run does not
-- reach is NaN; an infinite one stands for jumps, and for phases beyond the most that there may be.
local function with_phases(b)
  local code, begin, places, has_more = {}, {}, {}, false
  local moves, repeated = slicing.moving(b)
  for n, i in ipairs(b.code) do
    if repeats(n, i, moves) then
      has_more = has_more or period_of[i.op] or i.op == "LOAD" or #places == MOST - 1
      if #places < MOST - 1 then
        local place = b:room(1)
        places[#places + 1] = place
        begin[#begin + 1] = { op = "MOVE", a = place, b = b:constant(0 / 0), c = 0, d = 0 }
        put_phase(b, code, i, place, repeated[n])
      end
    end
    code[#code + 1] = names.merged(i)
  end
  if has_more then table.insert(places, 1, b:constant(math.huge)) end
  return table.move(code, 1, #code, #begin + 1, begin), places
end

local function write(c)
  local b = Emitter.new(c)
  translator.follow(b, c, { { is = "ctx" } })
  local code, places = with_phases(b)
  code[#code + 1] = { op = "END", a = 0, b = 0, c = 0, d = 0 }
  b.stores = {}
  for k, place in ipairs(places) do b.stores[k] = { 0, k - 1, 1, place, 0 } end
  b.code = optimizer.code(code, b.stores)
  return b
end

-- The description of the program, and its builder; nil if the closure stays in Lua.
function phases.write(c)
  local b = Emitter.attempt(write, c)
  if b then return translator.describe(b, b.code, b.stores), b end
end

return phases
