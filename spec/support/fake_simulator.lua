-- Stands in for a simulator where a spec is about what is done with records:
-- values are functions of time, events are given, nothing is integrated.
local model = require "saltus.model.flat_model"
local names = require "saltus.util.names"

local fake = {}

local function nothing() end

local Column = { __call = function(column, row, share)
  return column[row] + share * ((column[row + 1] or column[row]) - column[row])
end }

-- As of the recorder, the record of a vector is a list of columns, one an element.
-- values: path -> function(t); options.rows: times of the rows; options.events
function fake.new(system, values, options)
  local m = model.of(system)
  local sim = { model = m, system = system, stats = {}, asked = {} }
  function sim.recorder(_, channels, every)
    sim.asked = { channels = channels, every = every }
    local rec = { time = {}, columns = {}, events = options.events or {}, marks = {}, is_curve = nothing }
    rec.jumps = { time = {}, marks = {}, before = rec.columns, after = rec.columns }
    local function vector(channel) return channel.entry and channel.entry.vector end
    for i, channel in ipairs(channels) do
      rec.columns[i] = setmetatable({}, Column)
      for k = 1, vector(channel) and channel.entry.size or 0 do rec.columns[i][k] = setmetatable({}, Column) end
    end
    for row, t in ipairs(options.rows) do
      rec.time[row] = t
      for i, channel in ipairs(channels) do
        if channel.fn then
          rec.columns[i][row] = channel.fn { time = t }
        else
          local value = values[names.join(m.parts[channel.part].path, channel.entry.name)](t, row)
          if vector(channel) then
            for k = 1, channel.entry.size do rec.columns[i][k][row] = value[k] end
          else
            rec.columns[i][row] = value
          end
        end
      end
    end
    return rec
  end
  return sim
end

return fake
