-- How this Lua raises to powers. From 5.4.2 on, it squares by multiplication; earlier versions call pow of the C
-- library for squares too, which may round differently. Programs do as their Lua does.
local powers = {}

local function squares_by_multiplying()
  for k = 1, 10000 do
    local x = 0.1 + k / 7919
    if x ^ 2 ~= x * x then return false end
  end
  return true
end

powers.are_squares_products = squares_by_multiplying()

-- The operation of programs for `^` (src/tape/bytecode_vm.h).
powers.operation = powers.are_squares_products and "POW" or "RAISE"

return powers
