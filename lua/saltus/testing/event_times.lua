-- When events fired: event_at and event_order.
local evidence = require "saltus.testing.evidence"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local subject = require "saltus.testing.subject"

local event_times = {}

local SHOWN = 6 -- times that a message lists
local PLOTTED = 3 -- signals

local function joined_times(times)
  local out = {}
  for i = 1, math.min(#times, SHOWN) do out[i] = evidence.number(times[i]) end
  if #times > SHOWN then out[#out + 1] = "..." end
  return table.concat(out, ", ")
end

local function nearest(times, t)
  local best
  for _, time in ipairs(times) do
    if not best or math.abs(time - t) < math.abs(best - t) then best = time end
  end
  return best
end

local function first_signals(log)
  local list = evidence.plottable(log)
  return { table.unpack(list, 1, PLOTTED) }
end

-- What stands below the first line of a message about time t.
local function details(log, name, t, label)
  local lines = {}
  local inside = t >= log.time[1] and t <= log.time[#log.time]
  local last = evidence.last_events(log, t)
  lines[#lines + 1] = last and numerals.format("%s (until %.9g s)", last, t) or nil
  local signals = first_signals(log)
  if inside and signals[1] then
    lines[#lines + 1] = numerals.format("at %.9g s: %s", t, evidence.values(log, signals, t))
    lines[#lines + 1] = "\n" .. evidence.plot(log, signals, t, { label = label or name .. " expected here" })
  end
  return table.concat(lines, "\n")
end

local function absent_text(log, name, t, tolerance, times)
  local near = nearest(times, t)
  local head = numerals.format("%q did not fire at %.9g s within %.6g s", name, t, tolerance)
  if near then
    head = numerals.format("%s: the nearest is at %.9g s, %.6g s %s\nit fired %d time%s: %s s", head, near,
      math.abs(near - t), near < t and "before" or "after", #times, #times == 1 and "" or "s", joined_times(times))
  else
    head = numerals.format("%s: it never fired from %.9g to %.9g s", head, log.time[1], log.time[#log.time])
  end
  return head .. "\n" .. details(log, name, t)
end

local function present_text(log, name, t, tolerance, near)
  return numerals.format("%q fired at %.9g s, within %.6g s of %.9g s\n%s", name, near, tolerance, t,
    details(log, name, near, name))
end

-- Whether an event fired at t; returns that, and a text for each side.
function event_times.event_at(run, name, t, tolerance)
  local log = subject.log(run, "event_at")
  names.check(type(name) == "string", name, "event_at: the second argument is the name of an event")
  names.check(numerals.is_finite(t), t, "event_at: the third argument is a time in seconds")
  names.check(numerals.is_finite(tolerance) and tolerance >= 0, tolerance,
    "event_at: the fourth argument is the tolerance in seconds, not negative")
  local times = log:times(name)
  local near = nearest(times, t)
  if near and math.abs(near - t) <= tolerance then
    return true, function() return present_text(log, name, t, tolerance, near) end
  end
  return false, function() return absent_text(log, name, t, tolerance, times) end
end

-- The events of the log that are in the list.
local function fired_of(log, list)
  local wanted = {}
  for _, name in ipairs(list) do
    if not wanted[name] then log:times(name) end -- raises an error for an unknown name
    wanted[name] = true
  end
  return names.filter(log.events, function(event) return wanted[event.name] end)
end

local function order_text(log, list, fired, at)
  local expected, got = list[at], fired[at]
  local head = ("event %d of %d: expected %s, got %s"):format(at, #list, expected and ("%q"):format(expected)
    or "no more", got and numerals.format("%q at %.9g s", got.name, got.time) or "no more")
  local seen = {}
  for i = math.max(1, at - 2), math.min(#fired, at + 3) do
    seen[#seen + 1] = numerals.format("%s at %.9g s", fired[i].name, fired[i].time)
  end
  local lines = { head, "expected: " .. table.concat(list, ", "),
    ("fired: %s%s%s"):format(at > 3 and "..., " or "", seen[1] and table.concat(seen, ", ") or "none of these",
      #fired > at + 3 and ", ..." or "") }
  local t = got and got.time or log.time[#log.time]
  local signals = first_signals(log)
  if signals[1] then
    lines[#lines + 1] = "\n" .. evidence.plot(log, signals, t, { label = got and got.name .. " here" or "the end" })
  end
  return table.concat(lines, "\n")
end

-- Whether the first events of these names are those of the list, in its order; with exactly = true, no more follow.
function event_times.event_order(run, list)
  local log = subject.log(run, "event_order")
  names.check(type(list) == "table" and type(list[1]) == "string", list,
    "event_order: the second argument is a list of events like { \"full\", \"empty\" }")
  for key, name in pairs(list) do
    local sound = key == "exactly" and type(name) == "boolean" or math.type(key) == "integer" and type(name) == "string"
    names.fail_if(not sound, "event_order: the list has names of events, and exactly = true; got [%s] = %s",
      names.show(key), names.show(name))
  end
  local fired = fired_of(log, list)
  local upto = list.exactly and math.max(#list, #fired) or #list
  for i = 1, upto do
    if not fired[i] or fired[i].name ~= list[i] then
      return false, function() return order_text(log, list, fired, i) end
    end
  end
  return true, function() return ("the events fired in this order: %s"):format(table.concat(list, ", ")) end
end

return event_times
