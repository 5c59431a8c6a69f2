-- A context in the form that users read: values by path.
--
--   sim.context.height, sim.context.plant.angle, sim.context["plant.r[2]"]
--
-- `which`: the context that the engine reads, of the run, of an event's `before` or of state_at. Only the context of
-- the run can be written.
local core_module = require "saltus.core"
local variable = require "saltus.model.variable"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local constants, status_text = core_module.constants, core_module.status_text
local which_of, number_of = constants.context, constants.partition
local EINPUT, ELOOP = constants.status.EINPUT, constants.status.ELOOP

local context = { RUN = which_of.run, NEXT = which_of.next, BEFORE = which_of.before, VIEW = which_of.view }

local model_of = setmetatable({}, { __mode = "k" })

-- Stores the model of an engine, for errors.
function context.introduce(core, m) model_of[core] = m end

-- Raises an error for an input or output that cannot be computed.
local function raise_port_error(core, part, e, status)
  local m = model_of[core]
  local path = names.join(m.parts[part].path, e.name)
  names.fail_if(status == EINPUT,
    "the input %q is read, but it is not connected and has no value; connect it, give it a default, or set "
    .. "sim.context.%s before the run", path, path)
  names.fail_if(status ~= ELOOP,
    "%q cannot be computed at t = %t: %s", path, core:time(context.RUN), status_text(status))
  local dependencies = require "saltus.model.dependencies"
  local loop = dependencies.find_loop(m)
  if not loop then names.fail("%q needs its own value: an algebraic loop", path) end
  names.fail("%s", dependencies.loop_text(m, loop))
end

local function raw(core, which, part, e)
  local size = e.vector and e.size or nil
  local ask = e.partition == "output" and core.output or e.partition == "input" and core.input
  if not ask then return core:read(which, part, number_of[e.partition], e.offset, size) end
  local value, status = ask(core, which, part, e.index, size)
  if value == nil then raise_port_error(core, part, e, status) end
  return value
end

-- The last values of abstract outputs: by engine, part and output, then by context. The engine stores a number instead
-- of the value, and this number shows whether the value belongs to the present state.
local outputs = setmetatable({}, { __mode = "k" })

local function outputs_of(core, part, e)
  local key = part .. "." .. e.index
  outputs[core] = outputs[core] or {}
  outputs[core][key] = outputs[core][key] or {}
  return outputs[core][key]
end

function context.store_output(core, part, e, value) outputs_of(core, part, e)[core:place(context.RUN)] = value end

local function read_abstract(core, which, part, e)
  local serialize = require "saltus.util.serialize"
  if e.partition == "input" then
    local c = model_of[core]:feeding(part, e)
    if c and c.port.partition == "abstract" then return read_abstract(core, which, c.from, c.port) end
    raw(core, which, part, e) -- computes the source of the input
    if c then return serialize.as_readonly_data(outputs_of(core, c.from, c.port)[core:place(which)], e.name) end
  elseif e.partition == "output" then
    raw(core, which, part, e)
    return serialize.as_readonly_data(outputs_of(core, part, e)[core:place(which)], e.name)
  end
  return serialize.as_readonly(serialize.decode(core:slot(which, part, e.slot)), e.name)
end

-- Converts a value for Lua: modes to strings, vectors to copies, abstract data to read-only views.
function context.read(core, which, part, e)
  if e.abstract then return read_abstract(core, which, part, e) end
  if e.partition == "time" then return core:time(which) end
  local value = raw(core, which, part, e)
  if e.values then return e.values[math.tointeger(value)] end
  return value
end

local function write_number(core, part, e, index, value)
  core:poke(part, number_of[e.partition], e.offset + index - 1, value)
end

function context.write(core, part, e, element, value, who)
  if e.partition == "input" then core:end_feed(part, e.index) end
  if element then
    write_number(core, part, e, element, variable.element(e, value, who))
    return
  end
  local checked = variable.value(e, value, who)
  if e.abstract then
    core:poke_slot(part, e.slot, require("saltus.util.serialize").encode(checked))
    if e.partition == "input" then write_number(core, part, e, 1, 0.0) end -- it has a value
  elseif e.vector then
    for i = 1, e.size do write_number(core, part, e, i, checked[i]) end
  else
    write_number(core, part, e, 1, checked)
  end
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
  local copy = require("saltus.util.serialize").as_readonly(values, path, function(i)
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

local function set(self, key, value)
  if not self.writable then
    names.fail("%s is read-only here; in an update, write to next.%s", numerals.text(key), numerals.text(key))
  end
  names.fail_if(self.core:running(), "the context can be written between calls only; in an update, write to `next`")
  context.check_present(self.core)
  if key == "time" and self.prefix == "" then
    names.check(type(value) == "number" and value == value, value, "time must be a number")
    return self.core:set_time(value)
  end
  local path = type(key) == "string" and names.join(self.prefix, key) or key
  local part, e, element = self.model:resolve(path)
  if not part then names.fail(e) end
  self.model:check_not_fed(part, e, path)
  return context.write(self.core, part, e, element, value, ("%q"):format(path))
end

-- Its text and its pairs are in a module that is loaded at first use.
local function displayed(self, what)
  if self.which ~= context.RUN then check_there(self) end
  return require("saltus.simulation.context_view")[what](self, context.read)
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
    __newindex = function(_, key, value) set(inner, key, value) end,
    __pairs = function() return displayed(inner, "each") end,
    __tostring = function() return displayed(inner, "text") end,
  })
end

-- `prefix`: the path of the part whose names are read, "" for the whole; `site`: that of a VIEW.
function context.new(core, m, which, writable, prefix, site)
  return view({ core = core, model = m, which = which, writable = writable, site = site }, prefix or "")
end

return context
