-- Continues the run of an edited scenario from the state of the run before: of an equal model from everything that a
-- save contains, of any other by names.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local variable = require "saltus.model.variable"

local handover = {}

local carried = { "q", "v", "z", "discrete", "abstract", "params", "inputs" }

-- What must be equal so that a save of one model fits the other: names, sizes and events in their order.
local function layout(m)
  local words = {}
  local function add(...) words[#words + 1] = table.concat({ ... }, " ") end
  for _, part in ipairs(m.parts) do
    add("part", part.path)
    for _, section in ipairs(variable.section_names) do
      for _, e in ipairs(part.system[section]) do add(section, e.name, e.size, table.concat(e.values or {}, ",")) end
    end
    for _, event in ipairs(part.system.events) do add("event", event.name, event.trigger) end
    for _, past in ipairs(part.system.pasts or {}) do add("past", past.name) end
  end
  return table.concat(words, "\n")
end

-- By path: { entry, default } of what has a value of its own.
local function values_of(m)
  local out = {}
  for i, part in ipairs(m.parts) do
    for _, e in ipairs(variable.in_ctx(part.system, carried)) do
      if not m:feeder(i, e) then
        out[names.join(part.path, e.name)] = { entry = e, default = variable.default_of(part.system, e) }
      end
    end
  end
  return out
end

local function text(value)
  if type(value) ~= "table" then return numerals.text(value) end
  return type(value[1]) == "number" and numerals.list("%.10g", value) or "a table"
end

local function is_setting(e) return e.partition == "param" or e.partition == "input" end

-- Parameters and inputs whose default the edit changed: { { path, text } }.
local function edited_defaults(old, new)
  local out = {}
  for _, path in ipairs(names.sorted_keys(new)) do
    local was, is = old[path], new[path]
    if was and is_setting(is.entry) and text(was.default) ~= text(is.default) then
      out[#out + 1] = { path = path, was = text(was.default), value = is.default }
    end
  end
  return out
end

local function list_text(list)
  if #list > 8 then return table.concat(list, ", ", 1, 8) .. (" and %d more"):format(#list - 8) end
  return table.concat(list, ", ")
end

local function missing_in(these, others)
  return names.filter(names.sorted_keys(these), function(path) return not others[path] end)
end

local function count(list, what, verb)
  return ("%d %s%s %s: %s"):format(#list, what, #list == 1 and "" or "s", verb, list_text(list))
end

local function report_names(report, old, new)
  local gone, come = missing_in(old, new), missing_in(new, old)
  if #gone > 0 then report[#report + 1] = count(gone, "name", "vanished") end
  if #come > 0 then report[#report + 1] = count(come, "name", "appeared, with defaults") end
end

local function report_events(report, old, new)
  local was, is = {}, {}
  for _, path in ipairs(old:event_paths()) do was[path] = true end
  for _, path in ipairs(new:event_paths()) do is[path] = true end
  local gone, come = missing_in(was, is), missing_in(is, was)
  if #gone > 0 then report[#report + 1] = count(gone, "event", "vanished") end
  if #come > 0 then report[#report + 1] = count(come, "event", "appeared") end
end

-- A mode may have lost its word, a vector its size.
local function copy_values(from, to, old, new, report)
  for _, path in ipairs(names.sorted_keys(new)) do
    if old[path] then
      local ok, wrong = pcall(function()
        local value = from.context[path]
        if type(value) == "table" and old[path].entry.vector then value = table.move(value, 1, #value, 1, {}) end
        to.context[path] = value
      end)
      if not ok and not tostring(wrong):find "has no value" then
        report[#report + 1] = ("%s begins with its default: %s"):format(path, tostring(wrong))
      end
    end
  end
end

-- A save has derivatives at its end; those of the edited file may be others. Writing a state makes them anew.
local function forget_derivatives(sim)
  for _, part in ipairs(sim.model.parts) do
    for _, section in ipairs { "q", "v", "z" } do
      local e = part.system[section][1]
      local path = e and names.join(part.path, e.vector and e.name .. "[1]" or e.name)
      if e then sim.context[path] = sim.context[path] end
    end
  end
end

local function move_save(from, to)
  if layout(from.model) ~= layout(to.model) or not pcall(to.load, to, from:save()) then return false end
  forget_derivatives(to)
  return true
end

-- What is due now happens in the old run. The new one starts one unit of rounding later, so that it does not happen
-- twice.
local function move_by_names(from, to, old, new, report)
  local started = from.core:initialized()
  if started then from:advance_pending_events() end
  copy_values(from, to, old, new, report)
  local t = from.context.time
  if started then t = t + math.max(math.abs(t) * 0x1p-52, 0x1p-1074) end
  to.context.time = t
  if started then to:initialize { suppress_initialization_events = true } end
  report[#report + 1] = "the model's layout changed: random streams, timers and pasts begin anew"
end

-- `from`, `to`: simulators; `to` has not started. Returns a list of sentences for the user;
-- its field `edited` lists the parameters and inputs whose default the edit changed.
function handover.move(from, to)
  local report, old, new = { edited = {} }, values_of(from.model), values_of(to.model)
  report_names(report, old, new)
  report_events(report, from.model, to.model)
  if not move_save(from, to) then move_by_names(from, to, old, new, report) end
  for _, edit in ipairs(edited_defaults(old, new)) do
    to.context[edit.path] = edit.value
    table.insert(report.edited, edit.path)
    report[#report + 1] = ("%s was %s and is %s, as the file says now"):format(edit.path, edit.was, text(edit.value))
  end
  return report
end

return handover
