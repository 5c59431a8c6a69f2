-- A page that moves: the pictures of a run that its `draw` functions make, with the plots of its log below.
--
--   local film = animation.film(scenario, run, "ball.html")
--   film:advance_to(run.stop)                         instead of run.sim:advance_to
--   animation.write(film, run.log)
local encoding = require "saltus.output.animation.encoding"
local film = require "saltus.output.animation.film"
local log_columns = require "saltus.output.log_columns"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local page = require "saltus.output.animation.page"
local run_card = require "saltus.output.run_card"
local scene = require "saltus.output.animation.scene"
local status = require "saltus.simulation.status"
local whole_file = require "saltus.util.whole_file"

local animation = {}

-- The film of a run that scenario:prepare made, for a page at `path`.
function animation.film(scenario, run, path)
  names.check(type(path) == "string" and path:find "%.html?$", path, "animate: the file must end in .html")
  local seen = scene.of(run.sim.model, scenario.draw, scenario.view)
  names.fail_if(not seen, "nothing would move: neither the scenario nor a system of it has draw = function(ctx, pen); "
    .. "see saltus help pen")
  return film.new(seen, run, path)
end

local function picture_of(taken, log)
  if log and #log.time > 0 then return require("saltus.output.plot.panels").of(log, {}) end
  return { title = taken.sim.model.name, card = run_card.of(taken.sim), groups = {}, events = {} }
end

local function is_empty(taken)
  for _, frame in ipairs(taken.frames) do
    if frame.commands[1] then return false end
  end
  return true
end

local function warn(taken, message, ...)
  local text = numerals.format(message, ...)
  status.add_warning(taken.sim, { time = taken.failed_at or taken.sim.context.time, kind = "draw", message = text })
end

-- Writes the page of what the film has so far; returns whether it shows the whole run. If a draw function failed, or
-- drew nothing, that is a warning of the run.
function animation.write(taken, log)
  taken:take_present()
  if not taken.frames[1] then
    warn(taken, "%s; %s is not written", taken.failure, taken.path)
    return false
  elseif taken.failure then
    warn(taken, "%s; %s ends before that", taken.failure, taken.path)
  elseif is_empty(taken) then
    warn(taken, "%s is empty: no draw function has drawn anything", taken.path)
  end
  whole_file.write(taken.path, "animate", function(put)
    local events = log_columns.events { events = taken.recorder.events }
    put(page.html(picture_of(taken, log), encoding.film(taken, events)))
  end)
  return not taken.failure
end

return animation
