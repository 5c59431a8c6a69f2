-- all blocks with huge numbers in each option
local saltus = require "saltus"
for name, make in pairs(saltus.blocks) do
  for _, v in ipairs { 1e9, 2^31, 2^53, math.maxinteger, math.mininteger, -1, 0/0, math.huge, ("x"):rep(1e5), {}, { {} }, { 1, 2, 3 }, function() return 1 end } do
    for _, o in ipairs { "size", "width", "inputs", "outputs", "gain", "delay", "period", "order", "numerator", "denominator", "A", "B", "C", "D", "breakpoints", "values", "times", "initial", "seed", "value", "samples", "n", "window", "count" } do
      local ok, b = pcall(make, { [o] = v })
      if ok then pcall(function() local sim = saltus.simulator(b, { max_step = 0.1 }) sim:advance_to(0.3) end) end
    end
  end
end
return false
