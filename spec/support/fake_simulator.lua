-- Stands in for a simulator where a spec is about what is done with records:
-- values are functions of time, events are given, nothing is integrated.
local model = require "saltus.model"

local fake = {}

-- values: path -> function(t); options.rows: times of the rows; options.events
function fake.new(system, values, options)
  local m = model.of(system)
  local sim = { model = m, system = system, stats = {}, asked = {} }
  function sim.recorder(_, channels, every)
    sim.asked = { channels = channels, every = every }
    local rec = { time = {}, columns = {}, events = options.events or {}, marks = {} }
    for i = 1, #channels do rec.columns[i] = {} end
    for row, t in ipairs(options.rows) do
      rec.time[row] = t
      for i, channel in ipairs(channels) do
        if type(channel) == "function" then
          rec.columns[i][row] = channel { time = t }
        else
          rec.columns[i][row] = values[model.join(m.parts[channel.part].path, channel.entry.name)](t, row)
        end
      end
    end
    return rec
  end
  return sim
end

return fake
