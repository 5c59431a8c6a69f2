-- Searches in lists that ascend.
local bisection = {}

-- Returns how many keys are at most `value`.
function bisection.count_to(keys, value)
  local low, high = 0, #keys
  while low < high do
    local mid = (low + high + 1) // 2
    if keys[mid] <= value then low = mid else high = mid - 1 end
  end
  return low
end

return bisection
