-- Thins curves so that their extremes remain.
local extremes = {}

-- Of each of `bins` equal stretches of the rows from `first` to `last`, marks in `keep` those with the lowest and the
-- highest finite value.
function extremes.mark(values, first, last, bins, keep)
  local count = last - first + 1
  for b = 0, bins - 1 do
    local low, high
    for i = first + b * count // bins, first + (b + 1) * count // bins - 1 do
      local v = values[i]
      if v > -math.huge and v < math.huge then
        if not low or v < values[low] then low = i end
        if not high or v > values[high] then high = i end
      end
    end
    if low then keep[low], keep[high] = true, true end
  end
end

return extremes
