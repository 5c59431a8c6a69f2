-- Work against precision, as work.h: the least time in which any of some runs { error, seconds }, or a blend of two
-- of them, comes to an error.
local work = {}

function work.time_to(error, runs)
  local best = math.huge
  for _, run in ipairs(runs) do
    if run.error <= error then best = math.min(best, run.seconds) end
  end
  for _, a in ipairs(runs) do
    for _, b in ipairs(runs) do
      if a.error > error and b.error <= error then
        local share = math.log(a.error / error) / math.log(a.error / b.error)
        best = math.min(best, math.exp(math.log(a.seconds) * (1 - share) + math.log(b.seconds) * share))
      end
    end
  end
  return best < math.huge and best or nil
end

return work
