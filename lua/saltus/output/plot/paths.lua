-- Curves as SVG path data. The points of a curve are thinned to what its picture shows. A jump is two points at one
-- time (saltus.output.picture_points), so its line is vertical.
local paths = {}

-- Of the points in one column of pixels, the first, lowest, highest and last give the same picture as all.
local function thinned(xs, ys, emit)
  local column, first, low, high, last
  local function flush()
    if not column then return end
    local seen = {}
    for _, i in ipairs { first, math.min(low, high), math.max(low, high), last } do
      if not seen[i] then
        seen[i] = true
        emit(xs[i], ys[i])
      end
    end
  end
  for i = 1, #xs do
    local c = math.floor(xs[i])
    if c ~= column then
      flush()
      column, first, low, high = c, i, i, i
    end
    if ys[i] < ys[low] then low = i end
    if ys[i] > ys[high] then high = i end
    last = i
  end
  flush()
end

-- For a curve that may turn back: the points that are not too close to each other.
local function apart(xs, ys, emit)
  local x, y
  for i = 1, #xs do
    if not x or i == #xs or math.abs(xs[i] - x) + math.abs(ys[i] - y) >= 0.5 then
      x, y = xs[i], ys[i]
      emit(x, y)
    end
  end
end

-- One run of finite values as path data.
local function run_path(xs, ys, held, parametric)
  local out, last_y = {}, nil
  local pick = parametric and apart or thinned
  pick(xs, ys, function(x, y)
    if #out == 0 then
      out[1] = ("M%.1f %.1f"):format(x, y)
    else
      if held then out[#out + 1] = ("%.1f %.1f"):format(x, last_y) end
      out[#out + 1] = ("%.1f %.1f"):format(x, y)
    end
    last_y = y
  end)
  return table.concat(out, " ") -- points after the first are lines to them
end

-- The path of a signal's runs (scales.runs). `held`: steps, not slopes, between the points. `parametric`: the curve may
-- turn back.
function paths.of(runs, held, parametric)
  local parts = {}
  for i, run in ipairs(runs) do parts[i] = run_path(run.xs, run.ys, held, parametric) end
  return table.concat(parts)
end

return paths
