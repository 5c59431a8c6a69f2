-- A context in the form that users read: values by path.
--
--   sim.context.height, sim.context.plant.angle, sim.context["plant.r[2]"]
--
-- `which`: the context that the engine reads, of the run, of an event's `before` or of state_at. Only the context of
-- the run can be written.
local constants = require("saltus.core").constants
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local readonly = require "saltus.util.readonly"

local which_of, number_of = constants.context, constants.partition

local context = { RUN = which_of.run, NEXT = which_of.next, BEFORE = which_of.before, VIEW = which_of.view }

local model_of = setmetatable({}, { __mode = "k" })

local context_write -- loaded at the first write

-- Stores the model of an engine, for errors.
function context.introduce(core, m) model_of[core] = m end

local function raw(core, which, part, e)
  local size = e.vector and e.size or nil
  local ask = e.partition == "output" and core.output or e.partition == "input" and core.input
  if not ask then return core:read(which, part, number_of[e.partition], e.offset, size) end
  local value, status = ask(core, which, part, e.index, size)
  if value == nil then require("saltus.simulation.errors").raise_port_error(core, model_of[core], part, e, status) end
  return value
end

-- Converts a value for Lua: modes to strings, vectors to copies, abstract data to read-only views.
function context.read(core, which, part, e)
  if e.abstract then
    return require("saltus.simulation.context.abstract_values").read(core, which, part, e, model_of[core], raw)
  end
  if e.partition == "time" then return core:time(which) end
  local value = raw(core, which, part, e)
  if e.values then return e.values[math.tointeger(value)] end
  return value
end

local view

-- The engine has one context for views. By engine, the site that it shows: { t = } of state_at; or { gone = "subject" }
-- of a view that cannot be shown again.
local shown_site = setmetatable({}, { __mode = "k" })

-- Called after the engine has computed the state at a site.
function context.look(core, site)
  shown_site[core] = site
  site.t = core:time(context.VIEW)
  return site
end

-- Computes a site again after another view or the sample of a log.
local function look_again(self)
  local core, site = self.core, self.site
  if shown_site[core] == site and core:time(context.VIEW) == site.t then return end
  if site.gone or not core:state_at(site.t) then
    names.fail("%s at t = %t is no longer available; copy what you need while it is",
      site.gone or "the context that state_at returned", site.t)
  end
  shown_site[core] = site
end

-- Raises an error if the state of this view no longer exists.
local function check_there(self)
  if self.site then return look_again(self) end
  if self.which == context.BEFORE and not pcall(self.core.time, self.core, context.BEFORE) then
    names.fail("event.before is available only while its handler runs; copy what you need there")
  end
end

local function are_equal(a, b)
  local equal = #a == #b
  for i = 1, #a do equal = equal and a[i] == b[i] end
  return equal
end

-- Returns a vector of a writable context as a read-only copy, since writes to its elements would be lost.
local function read_only(values, path)
  local copy = readonly.of(values, path, function(i)
    names.fail("sim.context.%s returned a copy; write an element as sim.context[\"%s[%s]\"] = value", path, path,
      numerals.text(i))
  end)
  getmetatable(copy).__eq = are_equal
  return copy
end

-- Numbers of the run that a key names directly: their places are stored, so that reading one again is one call. Without
-- this, a run of a sweep to 0.3 s takes 15 % longer.
local function remember(self, key, part, e, element)
  if self.which ~= context.RUN or element or e.vector or e.values or e.abstract or not number_of[e.partition]
    or e.partition == "input" then -- an input may be connected or fed
    return
  end
  self.places[key] = { part, number_of[e.partition], e.offset }
end

local function get(self, key)
  if self.which ~= context.RUN then check_there(self) end
  if key == "time" then return self.core:time(self.which) end
  if type(key) ~= "string" then names.fail("a context is read by names, not by %s", names.show(key)) end
  if key == "past" or key == "past_rate" then
    local part = self.model.by_path[self.prefix]
    local system = part and self.model.parts[part].system
    if system and system.pasts and #system.pasts > 0 then
      local history = require "saltus.model.history"
      return history.view(self.core, part, system, key == "past_rate", self.which == context.VIEW)
    end
  end
  local path = names.join(self.prefix, key)
  if self.model:has_parts_under(path) then return view(self, path) end
  local part, e, element = self.model:resolve(path)
  if part then
    local value = context.read(self.core, self.which, part, e)
    remember(self, key, part, e, element)
    if element then return value[element] end
    return e.vector and self.writable and e.partition ~= "output" and read_only(value, path) or value
  end
  return names.fail(e)
end

-- By engine, the time inside of the last step that sim:steps(stop, every) shows.
local shown = setmetatable({}, { __mode = "k" })
context.shown = shown

-- nil: the time of the run.
function context.show(core, t) shown[core] = t end

-- Raises an error if another time than that of the run is shown: writing would change the state of the run.
function context.check_present(core)
  if not shown[core] then return end
  names.fail("sim:steps shows t = %t, but the run is already at t = %t; to write at a chosen time, call "
    .. "sim:advance_to(t) first", shown[core], core:time(context.RUN))
end

-- Its text and its pairs are in a module that is loaded at first use.
local function displayed(self, what)
  if self.which ~= context.RUN then check_there(self) end
  return require("saltus.simulation.context.view")[what](self, context.read)
end

function view(self, prefix)
  local inner = { core = self.core, model = self.model, which = self.which, writable = self.writable, prefix = prefix,
    site = self.site, places = {} }
  local core, read, which, places = self.core, self.core.read, self.which, inner.places
  return setmetatable({}, {
    __name = "saltus.context",
    __index = function(_, key)
      local at = places[key]
      if at then return read(core, which, at[1], at[2], at[3]) end
      return get(inner, key)
    end,
    __newindex = function(_, key, value)
      context_write = context_write or require "saltus.simulation.context.write"
      context_write.set(inner, key, value, context.check_present)
    end,
    __pairs = function() return displayed(inner, "each") end,
    __tostring = function() return displayed(inner, "text") end,
  })
end

-- `prefix`: the path of the part whose names are read, "" for the whole; `site`: that of a VIEW.
function context.new(core, m, which, writable, prefix, site)
  return view({ core = core, model = m, which = which, writable = writable, site = site }, prefix or "")
end

return context
