-- What a page is told of a session, as JSON: all at once when it connects, then what is new.
local controls = require "saltus.live.controls"
local core = require "saltus.core"
local numerals = require "saltus.util.numerals"
local palette = require "saltus.output.plot.palette"
local text_export = require "saltus.output.text_export"

local messages = {}

local json = text_export.json
local MOST_ROWS = 600 -- in a message of what is new

local function short(value) return numerals.format("%.10g", value) end

-- Signals of one unit share a panel; a mode has one of its own. `signals` are the places of the values in a row.
local function panels(columns)
  local list, of = {}, {}
  for i, c in ipairs(columns) do
    local key = c.modes and "mode " .. c.name or c.unit or ""
    if not of[key] then
      of[key] = { unit = c.unit or "", modes = c.modes or {}, signals = {} }
      list[#list + 1] = of[key]
    end
    local signals = of[key].signals
    local colour, dash = palette.of(#signals + 1)
    signals[#signals + 1] = { name = c.name, place = i, held = c.held == true, colour = colour,
      dash = palette.dashes[dash] }
  end
  return list
end

local function events(m)
  local list = {}
  for _, path in ipairs(m:event_paths()) do
    local _, event = m:event(path)
    list[#list + 1] = { name = path, trigger = event.trigger }
  end
  return list
end

local function speed_of(session) return session.speed == math.huge and "max" or session.speed end

local function setup(session)
  local run = session.run
  return { title = run.model.name, file = session.options.file or "", version = core.version, start = run.start,
    duration = run.duration or 0, seed = numerals.text(run.sim.options.seed), speeds = session.speeds,
    controls = run.controls, moves = run.stage ~= nil,
    view = run.scenario.view or {}, panels = panels(run.reader.columns), events = events(run.model) }
end

-- The state of the run at the time that is shown; the hash belongs to whole steps.
local function state(session)
  local run = session.run
  local whole = session.mode ~= "running" and session.shown == run:time()
  return { time = session.shown, mode = session.mode, speed = speed_of(session), number = session.number,
    hash = whole and run.sim:hash() or "", first = session.ring:first().time, counts = run.reader.counts,
    values = controls.values(run.controls, run.sim.context), head = session.trace:at(session.shown) or {} }
end

-- { { name, time }, ... } after the event with that number, and the number of the last one.
local function shown_events(session, after)
  local list, last = {}, after
  for _, e in ipairs(session.run.reader.events) do
    if e.time > session.shown then break end
    if e.number > after then list[#list + 1], last = { e.name, e.time }, e.number end
  end
  return list, last
end

local function notices_after(session, number)
  local list = {}
  for _, notice in ipairs(session.notices) do
    if notice.number > number then list[#list + 1] = notice end
  end
  return list
end

-- Adds to a message what came after `sent`, at most about `most_rows` rows; returns what has been sent then.
local function add_since(message, session, sent, most_rows)
  local now = { notice = session.notice_count }
  message.rows, now.row = session.trace:rows(sent.row, session.shown, most_rows)
  message.events, now.event = shown_events(session, sent.event)
  message.notices = notices_after(session, sent.notice)
  return now
end

local nothing = { row = 0, event = 0, notice = 0 }

local function text_of(message) return numerals.neutral(json, message, short) end

-- Adds the frame, which is JSON already. A draw function that fails is reported once and draws no more.
local function with_frame(text, session)
  local stage = session.run.stage
  if not stage then return text end
  local frame, wrong = stage:frame(session.shown)
  if frame then return ('%s,"frame":%s}'):format(text:sub(1, -2), frame) end
  session.run.stage = nil
  session:notice("error", wrong)
  return text
end

-- Everything, for a page that connects or after a step back.
function messages.all(session)
  local message = state(session)
  local sent = add_since(message, session, nothing, math.huge)
  message.setup = setup(session)
  return with_frame(text_of(message), session), sent
end

-- What is new since the last call; nil if nothing is.
function messages.news(session)
  if session.renewed then
    local text
    text, session.sent = messages.all(session)
    session.renewed, session.sent_state = false, text_of(state(session))
    return text
  end
  local message = state(session)
  local of_state = text_of(message)
  session.sent = add_since(message, session, session.sent or nothing, MOST_ROWS)
  local same = of_state == session.sent_state and #message.rows + #message.events + #message.notices == 0
  session.sent_state = of_state
  return not same and with_frame(text_of(message), session) or nil
end

return messages
