-- The common timing of the sampled updates of a system or a model.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local sampling = {}

-- Returns period and offset of all periodic discrete updates of the parts; nil and the reason if they differ or there
-- are none.
function sampling.of(name, parts)
  local first, text
  for _, part in ipairs(parts) do
    for _, e in ipairs(part.system.events) do
      if e.trigger == "period" and e.kind == "discrete_update" then
        local path = names.join(part.path, e.name)
        local now = numerals.format("%q (every %.10g s, offset %.10g s)", path, e.every, e.offset)
        if first and (e.every ~= first.every or e.offset ~= first.offset) then
          return nil, ("%q has no unique period: %s and %s differ"):format(name, text, now)
        end
        first, text = first or e, text or now
      end
    end
  end
  if not first then return nil, ("%q has no periodic discrete update"):format(name) end
  return first.every, first.offset
end

return sampling
