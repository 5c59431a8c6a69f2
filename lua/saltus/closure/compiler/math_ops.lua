-- The functions of `math` and `saltus.math` that programs have. Those of `math` have the arithmetic of lmathlib.c of
-- Lua 5.4.
local core = require "saltus.core"
local Emitter = require "saltus.closure.compiler.emitter"
local types = require "saltus.closure.compiler.types"

local math_ops = { name_of = {} }

local reject = Emitter.reject

local function shown(name) return name:find(".", 1, true) and name or "math." .. name end

local function same_kind(args)
  local kind = types.number(args[1].kind)
  for _, arg in ipairs(args) do if types.number(arg.kind) ~= kind then return "number" end end
  return kind
end

local function chain(op)
  return function(_, out, to, args)
    local last = args[1].place
    for n = 2, #args do
      out:emit(op, to, last, args[n].place)
      last = to
    end
    if #args == 1 then out:emit("MOVE", to, last) end
    return same_kind(args)
  end
end

local function rounded(op)
  return function(_, out, to, args)
    out:emit(op, to, args[1].place)
    if types.number(args[1].kind) ~= "integer" then out:emit("EXACT", to) end
    return "integer"
  end
end

-- By name: make[name](builder, out, to, arguments) writes a call and returns the kind of its result.
local make = { max = chain "MAX", min = chain "MIN", floor = rounded "FLOOR", ceil = rounded "CEIL" }

for name, op in pairs { sin = "SIN", cos = "COS", tan = "TAN", asin = "ASIN", acos = "ACOS", exp = "EXP", sqrt = "SQRT",
  log = "LOG" } do
  make[name] = function(_, out, to, args)
    out:emit(op, to, args[1].place)
    return "float"
  end
end

-- In Lua, both are products.
for name, factor in pairs { rad = math.rad(1), deg = math.deg(1) } do
  make[name] = function(b, out, to, args)
    out:emit("MUL", to, args[1].place, b:constant(factor))
    return "float"
  end
end

function make.abs(_, out, to, args)
  out:emit("ABS", to, args[1].place)
  return types.number(args[1].kind)
end

function make.atan(b, out, to, args)
  out:emit("ATAN", to, args[1].place, args[2] and args[2].place or b:constant(1))
  return "float"
end

function make.fmod(_, out, to, args)
  if args[1].kind ~= "float" and args[2].kind ~= "float" then reject "math.fmod of integers is left to Lua" end
  out:emit("FMOD", to, args[1].place, args[2].place)
  return "float"
end

local of_one = { sin = "SINE", cos = "COSINE", tan = "TANGENT", exp = "EXPONENTIAL", log = "LOGARITHM" }
local of_two = { pow = "POWER", atan2 = "ARCTANGENT", hypot = "HYPOTENUSE" }
local takes = { atan = { 1, 2 }, fmod = { 2, 2 }, max = { 1, 50 }, min = { 1, 50 } }

for name, fn in pairs(core.math) do
  local op, whole_name = of_one[name] or of_two[name], "saltus.math." .. name
  make[whole_name] = function(_, out, to, args)
    out:emit(op, to, args[1].place, args[2] and args[2].place)
    return "float"
  end
  takes[whole_name] = of_two[name] and { 2, 2 } or nil
  math_ops.name_of[fn] = whole_name
end

-- If a function has two names, the known one is used. Lua functions in `math` are ignored.
for name, fn in pairs(math) do
  local known = make[name] or not math_ops.name_of[fn]
  if known and type(fn) == "function" and core.getinfo(fn, "S").what == "C" then math_ops.name_of[fn] = name end
end

-- Writes a call of the function of that name, as in math_ops.name_of, whose result goes to place `to`. Returns the kind
-- of the result.
function math_ops.call(b, out, name, to, args)
  local known = takes[name] or { 1, 1 }
  if not make[name] or #args < known[1] or #args > known[2] then
    reject(("it calls %s"):format(shown(name)))
  end
  for _, arg in ipairs(args) do
    if not types.number(arg.kind) then reject(("it passes %s a value that is not a number"):format(shown(name))) end
  end
  return make[name](b, out, to, args)
end

return math_ops
