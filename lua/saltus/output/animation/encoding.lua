-- Films as JSON for a page. player.js decodes them.
--
-- Frames in a row that have the same commands with the same styles are a block: the numbers are whole multiples of
-- `unit` (angles: of 1e-4 rad), each as one number if it is constant in the block, otherwise as a list: the first
-- value, then differences. Texts are indices of `texts`.
--
--   { "view": {}, "unit": 1e-4, "start": 0, "stop": 6, "speed": 1, "times": [...], "texts": [...],
--     "blocks": [{ "count": 361, "commands": [["circle", {"colour":1}, [0, [3, -1, -2, ...], 5]], ...] }, ...],
--     "events": [{ "name": "touch", "times": [...], "count": 12 }, ...] }
local json = require("saltus.output.text_export").json
local names = require "saltus.util.names"
local shortest = require("saltus.util.numerals").shortest

local encoding = {}

local STEPS = 50000 -- multiples of the unit across the view, or across what is drawn
local ANGLE = 1e-4 -- rad
local FAR = 2.0 ^ 52 -- units; what is farther outside of a view is drawn there
local MAX_MARKS = 150 -- an event that fired more often is not marked on the timeline

local function list(values, text) return "[" .. table.concat(names.map(values, text), ",") .. "]" end

local function is_angle(command, k) return command.op == "box" and k == 5 end

-- The unit of lengths: a power of ten.
local function unit_of(frames, view)
  local low, high = math.huge, -math.huge
  for _, side in pairs(view) do low, high = math.min(low, side), math.max(high, side) end
  for _, frame in ipairs(next(view) and {} or frames) do
    for _, command in ipairs(frame.commands) do
      for k, value in ipairs(command) do
        if not is_angle(command, k) then low, high = math.min(low, value), math.max(high, value) end
      end
    end
  end
  if low > high then low, high = 0, 1 end
  local span = math.max(high > low and high - low or 1, 1e-9 * math.max(math.abs(low), math.abs(high)))
  return 10.0 ^ math.floor(math.log(span / STEPS, 10))
end

local function whole(value) return math.floor(math.max(-FAR, math.min(FAR, value)) + 0.5) end

-- What frames of one block have in common, as a text.
local function shape_of(frame)
  return table.concat(names.map(frame.commands, function(c)
    return c.op .. c.style .. #c .. (c.text and "t" or "")
  end), ";")
end

-- The value of a number or text in all frames of a block: one, or the first and the differences.
local function column(block, value_of, differences)
  local values, varies = {}, false
  for i, frame in ipairs(block) do
    values[i] = value_of(frame)
    varies = varies or values[i] ~= values[1]
  end
  if not varies then return ("%d"):format(values[1]) end
  for i = differences and #values or 1, 2, -1 do values[i] = values[i] - values[i - 1] end
  return list(values, function(v) return ("%d"):format(v) end)
end

local function command_json(block, i, unit, index_of_text)
  local first = block[1].commands[i]
  local columns = list(first, function(_, k)
    local size = is_angle(first, k) and ANGLE or unit
    return column(block, function(frame) return whole(frame.commands[i][k] / size) end, true)
  end)
  local function text_of(frame) return index_of_text(frame.commands[i].text) end
  local text = first.text and "," .. column(block, text_of) or ""
  return ('["%s",%s,%s%s]'):format(first.op, first.style, columns, text)
end

local function block_json(block, unit, index_of_text)
  local commands = list(block[1].commands, function(_, i) return command_json(block, i, unit, index_of_text) end)
  return ('{"count":%d,"commands":%s}'):format(#block, commands)
end

local function blocks_of(frames)
  local blocks, shape = {}, nil
  for _, frame in ipairs(frames) do
    local own = shape_of(frame)
    if own ~= shape then
      blocks[#blocks + 1] = {}
      shape = own
    end
    table.insert(blocks[#blocks], frame)
  end
  return blocks
end

-- Distinct texts in order of their first use, and a function that returns the index of one.
local function text_table()
  local texts, index = {}, {}
  return texts, function(text)
    if not index[text] then
      texts[#texts + 1] = text
      index[text] = #texts - 1
    end
    return index[text]
  end
end

local function view_json(view)
  local out = {}
  for _, side in ipairs { "left", "right", "bottom", "top" } do
    if view[side] then out[#out + 1] = ('"%s":%s'):format(side, shortest(view[side])) end
  end
  return "{" .. table.concat(out, ",") .. "}"
end

local function event_json(event)
  local marks = #event.times <= MAX_MARKS and event.times or {}
  return ('{"name":%s,"count":%d,"times":%s}'):format(json(event.name), #event.times, list(marks, shortest))
end

-- One frame, { time =, commands = }, as the page takes it in animation.add(frame).
function encoding.frame(frame)
  return ('{"time":%s,"commands":%s}'):format(shortest(frame.time), list(frame.commands, function(c)
    return ('["%s",%s,%s%s]'):format(c.op, c.style, list(c, shortest), c.text and "," .. json(c.text) or "")
  end))
end

-- A film; `events`: { { name =, times = }, ... }.
function encoding.film(film, events)
  local view = film.scene.view or {}
  local unit = unit_of(film.frames, view)
  local texts, index_of_text = text_table()
  local times = names.of_field(film.frames, "time")
  local blocks = list(blocks_of(film.frames), function(block) return block_json(block, unit, index_of_text) end)
  return ('{"view":%s,"unit":%s,"start":%s,"stop":%s,"speed":%s,\n"times":%s,\n"texts":%s,\n"blocks":%s,\n"events":%s}')
    :format(view_json(view), shortest(unit), shortest(times[1]), shortest(times[#times]), shortest(film.speed),
      list(times, shortest), list(texts, json), blocks, list(events, event_json))
end

return encoding
