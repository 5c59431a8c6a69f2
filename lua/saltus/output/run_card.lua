-- The run card: what made a result, and the command that makes it again. Pages show it, and JSON Lines begin with it.
--
--   local card = run_card.of(sim, { log = log, status = status, more = { { "shard", "2 of 7" } } })
--   card.seed, card.command, card.set.gain        the fields are listed at run_card.of
--   run_card.rows(card)                            { { "seed", "7" }, ... }: labels and texts for people
--   run_card.json(card), run_card.html(card)       one JSON object; a <section> for a page, styled by run_card.style
--
-- A card has no clock time and no machine in it: equal runs have equal cards.
local core = require "saltus.core"
local log_columns = require "saltus.output.log_columns"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local options = require "saltus.simulation.options"
local text_export = require "saltus.output.text_export"

local run_card = {}

-- Changes of a scenario that `saltus run` has an option for; --set is written by itself.
run_card.flags = { { "duration", "--duration" }, { "integrator", "--integrator" }, { "accuracy", "--accuracy" },
  { "max_step", "--max-step" }, { "seed", "--seed" }, { "target_realtime_rate", "--rate" }, { "every", "--every" } }

-- ---- the command ----

-- How many random numbers the model and the stories of a run have drawn.
function run_card.draws(sim)
  local stories = sim.inner and sim.inner.stories
  return sim.core:random_count() + (stories and stories.statistics.draws or 0)
end

local function shell_word(text)
  return text:find "^[%w%./_:=,+%%@%-]+$" and text or "'" .. text:gsub("'", "'\\''") .. "'"
end

-- The command line of these words.
function run_card.command_line(words)
  local out = { "saltus" }
  for i, word in ipairs(words) do out[i + 1] = shell_word(word) end
  return table.concat(out, " ")
end

-- A value of --set: a number, a mode, or numbers with commas.
local function set_text(value)
  if type(value) ~= "table" then return numerals.shortest(value) end
  local out = {}
  for i = 1, #value do out[i] = numerals.shortest(value[i]) end
  return table.concat(out, ",")
end

-- The command line that runs it again; nil if the scenario came from no file, or a script gave it changes that have no
-- option. origin: file, changes (as for scenario:run), every (of the scenario's log)
function run_card.run_command(origin)
  if not origin.file then return nil end
  local words, changes = { "saltus", "run", shell_word(origin.file) }, names.merged(origin.changes)
  for _, flag in ipairs(run_card.flags) do
    local value = changes[flag[1]]
    if value ~= nil then
      local text = numerals.shortest(value)
      words[#words + 1] = flag[2] .. (text:find "^%-" and "=" or " ") .. shell_word(text)
    end
    changes[flag[1]] = nil
  end
  for _, path in ipairs(names.sorted_keys(changes.set or {})) do
    words[#words + 1] = "--set " .. shell_word(path .. "=" .. set_text(changes.set[path]))
  end
  changes.set, changes.profile = nil, nil -- a measured run is the same run
  for _, formula in ipairs(changes.expects or {}) do
    words[#words + 1] = "--expect " .. shell_word(tostring(formula))
  end
  if not (changes.expects and changes.expects.functions) then changes.expects = nil end
  local log = changes.log
  if log and log[1] and log.every == origin.every and #names.sorted_keys(log) == #log + (log.every and 1 or 0) then
    words[#words + 1], changes.log = "--log " .. shell_word(table.concat(log, ",")), nil
  end
  return next(changes) == nil and table.concat(words, " ") or nil
end

-- ---- the card ----

-- The options that are given and are not their defaults, besides those that have a field of their own.
local own_fields = { "integrator", "accuracy", "seed", "start_time", "profile" }

local function options_of(sim)
  local out = {}
  for _, option in ipairs(options.simulator) do
    local value = (sim.given or {})[option.name]
    if value ~= nil and value ~= option.default and not names.index_of(own_fields, option.name) then
      out[option.name] = (type(value) == "function" or type(value) == "table") and names.show(value) or value
    end
  end
  return out
end

local function events_of(log)
  local list = log and log_columns.events(log) or {}
  for i, e in ipairs(list) do
    list[i] = { name = e.name, count = #e.times, first = e.times[1], last = e.times[#e.times] }
  end
  return list
end

-- What the engine says: the methods in the order of their use, the accuracy, the counters.
local function add_engine(card, sim)
  local now = sim.core:integrator()
  card.integrator = sim.options.integrator
  card.methods = names.of_field(sim.stats.methods, "method")
  if not now.fixed_step_mode then
    card.accuracy = sim.core:initialized() and now.accuracy_in_use or now.target_accuracy
  end
  card.seed, card.random_numbers = math.tointeger(sim.options.seed), run_card.draws(sim)
  card.statistics = names.merged(sim.core:stats())
  card.statistics.limited_by = sim.stats.limited_by
  card.options = options_of(sim)
end

-- Returns the card of a run so far:
--   scenario       name of the model            file           the scenario's file; nil for one of a script
--   version        of Saltus                    command        runs it again; nil if no command can
--   integrator     as asked                     methods        those that ran, in order
--   accuracy       nil with fixed steps         options        other options that are not their defaults, by name
--   seed           a whole number               random_numbers how many were drawn
--   start, stop    s; stop: of the scenario     time, reason   where the run is, and why it ended there
--   set            changed parameters by path   statistics     counters by name, and limited_by
--   events         { { name, count, first, last }, ... }       more  further rows for people, { { label, text }, ... }
-- given: log (for the events), status, more, command (instead of the run's own).
function run_card.of(sim, given)
  given = given or {}
  local origin, status = sim.origin or {}, given.status or sim.status or {}
  local card = { scenario = sim.model.name, version = core.version, file = origin.file, set = {},
    command = given.command or run_card.run_command(origin), start = origin.start, stop = origin.stop,
    reason = status.reason,
    events = events_of(given.log), more = given.more or {} }
  for path, value in pairs(origin.changes and origin.changes.set or {}) do card.set[path] = value end
  if sim.core then
    card.time = sim.context.time
    add_engine(card, sim)
  end
  return card
end

-- The card of the run that a log records.
function run_card.of_log(log) return run_card.of(log_columns.inner_of(log).sim, { log = log }) end

-- ---- for people ----

local function pairs_text(map)
  local keys = names.sorted_keys(map)
  return table.concat(names.map(keys, function(key) return key .. " = " .. set_text(map[key]) end), ", ")
end

-- The changed parameters of a card: "gain = 2, mass = 3".
function run_card.changes_text(card) return pairs_text(card.set) end

local function methods_text(card)
  local used, out = card.methods or {}, {}
  for i, method in ipairs(used) do if method ~= used[i - 1] then out[#out + 1] = method end end
  if not card.integrator or #out == 0 or #out == 1 and out[1] == card.integrator then return card.integrator end
  return ("%s: %s"):format(card.integrator, table.concat(out, ", then "))
end

local function time_text(card)
  if not card.time then return nil end
  local from = card.start and numerals.format("%t s to ", card.start) or ""
  local why = card.reason and card.reason ~= "reached_boundary_time" and ", " .. card.reason:gsub("_", " ") or ""
  return from .. numerals.format("%t s", card.time) .. why
end

local function seed_text(card)
  if not card.seed then return nil end
  if card.random_numbers == 0 then return ("%d; no random number was drawn"):format(card.seed) end
  return ("%d, %d random number%s"):format(card.seed, card.random_numbers, card.random_numbers == 1 and "" or "s")
end

local function statistics_text(card)
  local out = {}
  for _, key in ipairs(names.sorted_keys(card.statistics or {})) do
    local value = card.statistics[key]
    if math.type(value) == "integer" and value > 0 then out[#out + 1] = ("%d %s"):format(value, key:gsub("_", " ")) end
  end
  if card.statistics and card.statistics.limited_by then
    out[#out + 1] = "steps limited most by " .. card.statistics.limited_by
  end
  return table.concat(out, ", ")
end

local function events_text(card)
  local out = {}
  for i, e in ipairs(card.events) do
    out[i] = e.count == 1 and numerals.format("%s at %t s", e.name, e.first)
      or numerals.format("%s ×%d, %t to %t s", e.name, e.count, e.first, e.last)
  end
  return table.concat(out, "; ")
end

function run_card.rows(card)
  local rows = {}
  local function add(label, text)
    if text and text ~= "" then rows[#rows + 1] = { label, text } end
  end
  add("scenario", card.file and ("%s (%s)"):format(card.scenario, card.file) or card.scenario)
  add("changed parameters", pairs_text(card.set))
  add("time", time_text(card))
  add("integrator", methods_text(card))
  add("accuracy", card.accuracy and numerals.shortest(card.accuracy))
  add("other options", pairs_text(card.options or {}))
  add("seed", seed_text(card))
  add("events", events_text(card))
  add("statistics", statistics_text(card))
  for _, row in ipairs(card.more) do add(row[1], row[2]) end
  add("version", "saltus " .. card.version)
  add("run again with", card.command)
  return rows
end

-- ---- for files and pages ----

local maps = { set = true, options = true, statistics = true } -- an empty one is {}
local json_fields = { "scenario", "file", "version", "command", "integrator", "methods", "accuracy", "options", "seed",
  "random_numbers", "start", "stop", "time", "reason", "error", "elapsed", "set", "statistics", "events" }

-- One object on one line; infinite numbers are null.
function run_card.json(card)
  local out = {}
  for _, field in ipairs(json_fields) do
    local value = card[field]
    if value ~= nil then
      local text = maps[field] and next(value) == nil and "{}" or text_export.json(value, numerals.shortest)
      out[#out + 1] = text_export.json_string(field) .. ":" .. text
    end
  end
  for _, row in ipairs(card.more) do
    out[#out + 1] = text_export.json_string(row[1]) .. ":" .. text_export.json_string(row[2])
  end
  return "{" .. table.concat(out, ",") .. "}"
end

run_card.style = [[
.run-card { margin: 24px 0 8px; font-size: 13px } .run-card h2 { font-size: 15px; margin: 0 0 6px }
.run-card table { border-collapse: collapse } .run-card td { overflow-wrap: anywhere }
.run-card th, .run-card td { text-align: left; vertical-align: top; padding: 2px 14px 2px 0; font-weight: 400 }
.run-card th { white-space: nowrap; opacity: .85 } .run-card code { font: 12px ui-monospace, monospace }
@media (max-width: 600px) { .run-card th { white-space: normal } }
]]

function run_card.html(card)
  local out = { '<section class="run-card" aria-labelledby="run-card"><h2 id="run-card">Run card</h2>\n<table>' }
  for _, row in ipairs(run_card.rows(card)) do
    local text = text_export.escape_html(row[2])
    if row[1] == "run again with" then text = "<code>" .. text .. "</code>" end
    out[#out + 1] = ('<tr><th scope="row">%s</th><td>%s</td></tr>'):format(text_export.escape_html(row[1]), text)
  end
  out[#out + 1] = "</table></section>"
  return table.concat(out, "\n")
end

return run_card
