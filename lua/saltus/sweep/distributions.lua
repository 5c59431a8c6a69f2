-- Random parameters of a sweep: each distribution turns a number that is uniform in (0, 1) into a value. So the same
-- code serves independent draws and the strata of a Latin hypercube.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local distributions = {}

local function polynomial(c, x)
  local sum = 0
  for i = #c, 1, -1 do sum = sum * x + c[i] end
  return sum
end

-- The quantiles of the normal distribution: Wichura, algorithm AS 241, Appl. Statist. 37 (1988), exact to 1e-16.
local centre = { { 3.3871328727963666080, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
  4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3 },
  { 1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
    3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3 } }
local near = { { 1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
  1.27045825245236838258, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4 },
  { 1, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
    1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9 } }
local far = { { 6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 2.96560571828504891230e-1,
  2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7 },
  { 1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
    1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15 } }

function distributions.normal_quantile(u)
  local q = u - 0.5
  if math.abs(q) <= 0.425 then
    local r = 0.180625 - q * q
    return q * polynomial(centre[1], r) / polynomial(centre[2], r)
  end
  local r = math.sqrt(-math.log(q < 0 and u or 1 - u))
  local table_of, shift = r <= 5 and near or far, r <= 5 and 1.6 or 5
  local x = polynomial(table_of[1], r - shift) / polynomial(table_of[2], r - shift)
  return q < 0 and -x or x
end

-- check(a, b) returns the error text, or nil; draw(a, b) a function from u to the value.
local kinds = {
  uniform = { doc = "{ low, high }: each value between them equally likely",
    check = function(a, b) return not (a < b) and "needs low < high" end,
    draw = function(a, b)
      local width = b - a
      return function(u) return a + width * u end
    end },
  log_uniform = { doc = "{ low, high }: each power of ten between them equally likely",
    check = function(a, b) return not (a > 0 and a < b) and "needs 0 < low < high" end,
    draw = function(a, b) return function(u) return a * (b / a) ^ u end end },
  normal = { doc = "{ mean, sd }",
    check = function(_, b) return b <= 0 and "needs a standard deviation greater than 0" end,
    draw = function(a, b) return function(u) return a + b * distributions.normal_quantile(u) end end },
  integer = { doc = "{ low, high }: a whole number from low to high",
    check = function(a, b)
      return not (math.tointeger(a) and math.tointeger(b) and a <= b) and "needs whole numbers low <= high"
    end,
    draw = function(a, b)
      return function(u) return math.tointeger(a) + math.floor(u * (b - a + 1)) end
    end },
}
distributions.kinds = kinds

-- Returns { text =, draw = function(u) } of { uniform = { 1, 10 } }.
function distributions.of(kind, given, who)
  names.check(type(given) == "table" and #given == 2 and numerals.is_finite(given[1]) and numerals.is_finite(given[2]),
    given, "%s: %s takes two numbers", who, kind)
  local a, b, own = given[1], given[2], kinds[kind]
  local wrong = own.check(a, b)
  names.fail_if(wrong, "%s: %s %s, got %s and %s", who, kind, wrong or "", names.show(a), names.show(b))
  return { text = ("%s:%s:%s"):format(kind, numerals.shortest(a), numerals.shortest(b)),
    draw = own.draw(a, b) }
end

return distributions
