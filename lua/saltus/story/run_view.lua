-- The run as stories see it: its context, with what they read kept in the journal.
local context = require "saltus.simulation.context"
local journal = require "saltus.story.journal"
local names = require "saltus.util.names"

local run_view = {}

local view

-- ctx.past.height(0.08), :at(t): a story calls them as functions of an earlier time.
local function past_view(host, inner, key, prefix)
  return setmetatable({}, { __index = function(_, name)
    local path = ("%s of %s"):format(key, names.join(prefix, name))
    local function past() return inner[key][name] end
    return setmetatable({ at = function(_, t)
      return journal.read(host, path .. " at", function() return past():at(t) end)
    end }, { __call = function(_, lag)
      return journal.read(host, path, function() return past()(lag) end)
    end })
  end })
end

local function get(host, inner, key, prefix)
  if key == "time" then return host.kernel:time() end
  if type(key) ~= "string" or not host.kernel:current() then return inner[key] end
  if key == "past" or key == "past_rate" then return past_view(host, inner, key, prefix) end
  local path = names.join(prefix, key)
  if host.sim.model:has_parts_under(path) then return view(host, inner[key], path) end
  return journal.read(host, path, function() return inner[key] end)
end

function view(host, inner, prefix)
  return setmetatable({}, {
    __name = "saltus.context",
    __index = function(_, key) return get(host, inner, key, prefix) end,
    __newindex = function(_, key, value)
      names.fail_if(key == "time", "a story cannot set the time; it waits")
      journal.act(host, function() inner[key] = value end)
    end,
    __pairs = function() return pairs(inner) end,
    __tostring = function() return tostring(inner) end,
  })
end

-- Numbers are most of what stories read: the journal notes them in one call.
local function fast_view(host, inner)
  local proxy = view(host, inner, "")
  local meta = getmetatable(proxy)
  local get_slowly, keys, kernel, note = meta.__index, host.keys, host.kernel, host.kernel.note_number
  function meta.__index(self, key)
    local id = keys[key]
    local value = id and inner[key]
    if id and note(kernel, id, value) then return value end
    return get_slowly(self, key)
  end
  return proxy
end

function run_view.new(host)
  local inner = context.new(host.sim.core, host.sim.model, context.RUN, true)
  return host.has_journal and fast_view(host, inner) or inner
end

return run_view
