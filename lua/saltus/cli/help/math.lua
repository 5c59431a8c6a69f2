-- The page of help for saltus.math.
local math_page = {}

math_page.functions = {
  { "sin(x), cos(x), tan(x)", "of an angle in radians" },
  { "exp(x), log(x)", "e^x; the natural logarithm" },
  { "pow(x, y)", "x^y" },
  { "atan2(y, x)", "the angle of the point (x, y), from -pi to pi; that of a quotient q is atan2(q, 1)" },
  { "hypot(x, y)", "sqrt(x^2 + y^2)" },
}

local example = [[
local swing = saltus.system { name = "pendulum", q = { { "angle", 1 } }, v = { "rate" },
  derivatives = function(ctx, dot)
    dot.angle, dot.rate = ctx.rate, -9.81 * saltus.math.sin(ctx.angle)
  end }]]

function math_page.page()
  return "functions with the same bits on every machine",
    { title = "Functions, as saltus.math.sin(x):", rows = math_page.functions },
    { text = "They do not call the C library, and an error is at most 1 ulp. Closures that call them are compiled. "
      .. "math.sqrt, abs, floor, ceil, fmod, min and max have the same bits everywhere already." },
    { example = example }
end

return math_page
