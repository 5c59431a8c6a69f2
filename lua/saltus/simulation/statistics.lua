-- sim.stats: the engine's counters by name, the variable that limited the steps, and the methods with their start times
-- and reasons; print shows them as a table.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local statistics = {}

-- Returns the path of the continuous variable that limited the most steps, and their number; nil if none did.
local function limited_by(engine, m)
  local counts, best, most = engine:limited(), nil, 0
  for i, element in ipairs(m:state_elements()) do
    if counts[i] > most then best, most = names.join(m.parts[element.part].path, element.name), counts[i] end
  end
  return best, most
end

local function text_of(engine, m, values)
  local lines = {}
  for _, key in ipairs(names.sorted_keys(values)) do lines[#lines + 1] = ("%-24s %12d"):format(key, values[key]) end
  local variable, times = limited_by(engine, m)
  if variable then lines[#lines + 1] = ("%-24s %12s  (%d times)"):format("steps_limited_by", variable, times) end
  local used = engine:methods_used()
  for _, u in ipairs(used[2] and used or {}) do
    local from = u.time == u.time and numerals.format(" from t = %.6g", u.time) or ""
    lines[#lines + 1] = ("%-24s %12d  (steps%s: %s)"):format(u.method, u.steps, from, u.why)
  end
  return table.concat(lines, "\n")
end

-- `more`: returns further counters by name, or nil.
function statistics.new(engine, m, more)
  local function counters()
    local own, others = engine:stats(), more()
    return others and names.merged(own, others) or own
  end
  return setmetatable({}, {
    __name = "saltus.stats",
    __index = function(_, key)
      if key == "reset" then return function() engine:reset_statistics() end end
      if key == "limited_by" then return (limited_by(engine, m)) end
      if key == "methods" then return engine:methods_used() end
      local value = counters()[key]
      if value == nil then names.fail_unknown("statistic", key, names.sorted_keys(counters())) end
      return value
    end,
    __newindex = function() names.fail("statistics are read-only; sim.stats:reset() clears them") end,
    __pairs = function() return next, counters(), nil end,
    __tostring = function() return text_of(engine, m, counters()) end,
  })
end

return statistics
