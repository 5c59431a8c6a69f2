-- Thins curves so that their extremes remain.
local extremes = {}

-- Of each of `bins` equal stretches of the rows from `first` to `last`, marks in `keep` those with the lowest and the
-- highest finite value.
function extremes.mark(values, first, last, bins, keep)
  local count = last - first + 1
  for b = 0, bins - 1 do
    local low, high
    local least, most = math.huge, -math.huge
    for i = first + b * count // bins, first + (b + 1) * count // bins - 1 do
      local v = values[i]
      if v < least and v > -math.huge then low, least = i, v end
      if v > most and v < math.huge then high, most = i, v end
    end
    if low then keep[low], keep[high] = true, true end
  end
end

return extremes
