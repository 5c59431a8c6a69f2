-- Summary statistics of the columns of a sweep.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local statistics = {}

-- The finite numbers as floats, as differences of integers can overflow, and how many are not finite.
local function finite_numbers(values, count)
  local out, others = {}, 0
  for i = 1, count do
    if numerals.is_finite(values[i]) then
      out[#out + 1] = values[i] + 0.0
    elseif math.type(values[i]) then
      others = others + 1
    end
  end
  return out, others
end

-- The value below which a share of the sorted list lies, between neighbours.
local function quantile(sorted, share)
  local at = 1 + (#sorted - 1) * share
  local low = math.floor(at)
  local a, b = sorted[low], sorted[math.min(low + 1, #sorted)]
  return a + (b - a) * (at - low)
end

-- { count, mean, sd, min, median, max, p05, p95 } of the finite numbers among the values, and not_finite, how many
-- others there are; nil and the others if no number is finite.
function statistics.of(values, count)
  local list, others = finite_numbers(values, count or #values)
  if #list == 0 then return nil, others end
  local mean, squares = 0, 0
  for i, x in ipairs(list) do -- Welford: exact for large means with small spreads
    local d = x - mean
    mean = mean + d / i
    squares = squares + d * (x - mean)
  end
  table.sort(list)
  return { count = #list, mean = mean, sd = #list > 1 and math.sqrt(squares / (#list - 1)) or 0, min = list[1],
    p05 = quantile(list, 0.05), median = quantile(list, 0.5), p95 = quantile(list, 0.95), max = list[#list],
    not_finite = others }
end

-- How often each text occurs, the most frequent first: { { text =, count = }, ... }.
function statistics.counts(values, count)
  local of, list = {}, {}
  for i = 1, count do
    local text = values[i]
    if text ~= text then text = "nan" end -- which no table has as its key
    if text ~= nil and text ~= "" then
      if not of[text] then
        of[text] = { text = text, count = 0 }
        list[#list + 1] = of[text]
      end
      of[text].count = of[text].count + 1
    end
  end
  table.sort(list, function(a, b)
    if a.count ~= b.count then return a.count > b.count end
    return tostring(a.text) < tostring(b.text)
  end)
  return list
end

local columns = { "mean", "sd", "min", "p05", "median", "p95", "max" }

-- A table of the measured columns; `data`: lists of values by name.
function statistics.text(measured, data, count)
  local width, lines = 8, {}
  for _, name in ipairs(measured) do width = math.max(width, #name) end
  local heads = { names.padded("", width) }
  for i, what in ipairs(columns) do heads[i + 1] = (" %11s"):format(what) end
  for _, name in ipairs(measured) do
    local of = statistics.of(data[name], count)
    local cells = { names.padded(name, width) }
    for i, what in ipairs(columns) do cells[i + 1] = of and numerals.format(" %11.5g", of[what]) end
    if of and of.not_finite > 0 then cells[#cells + 1] = ("  %d not finite"):format(of.not_finite) end
    if not of then
      local top = statistics.counts(data[name], count)
      for i = 1, math.min(#top, 4) do
        cells[#cells + 1] = ("  %s: %d"):format(numerals.text(top[i].text), top[i].count)
      end
    end
    lines[#lines + 1] = "  " .. table.concat(cells)
  end
  return "  " .. table.concat(heads) .. "\n" .. table.concat(lines, "\n")
end

return statistics
