-- `next`, to which an update writes. A name that the update has not written has the present value.
local context = require "saltus.simulation.context"
local names = require "saltus.util.names"
local readonly = require "saltus.util.readonly"
local writable = require "saltus.closure.writable"

local next_proxy = {}

-- Makes an entry a result of the closure; returns whether it was none before.
function next_proxy.add_write(c, e)
  if c.written[e] then return false end
  c.written[e] = true
  c.writes[#c.writes + 1] = e
  return true
end

-- Stores a value. The first one of a name makes it a result of the closure.
local function store(c, next, e, value)
  c.present[e.name] = true
  rawset(next, e.name, value)
  if not next_proxy.add_write(c, e) then return end
  local known = c.record.writes
  if not names.index_of(known, e.name) then known[#known + 1] = e.name end
  c.core:touch(c.k)
end

-- A name that was written before is in `next`; a fetched name is there from its first use in this call. If it is
-- absent, it was set to nil.
local function check_erased(c, e)
  if c.present[e.name] or c.written[e] and not c.fetched[e] then
    error(("%s sets next.%s to nil"):format(c.label, e.name), 0)
  end
end

local function current_next(c, e)
  if e.partition == "abstract" then
    return require("saltus.util.serialize").decode(c.core:slot(context.NEXT, c.part, e.slot))
  end
  local computed = e.partition == "output" or e.partition == "input"
  return context.read(c.core, computed and context.RUN or context.NEXT, c.part, e)
end

local function raise_write_error(c, e)
  local other = c.kind == "discrete_update" and writable.unrestricted_update[e.partition]
  names.fail("%s may write %s only, not %q%s", c.label, c.kind == "discrete_update" and "discrete names"
    or "states and parameters", e.name, other and "; an unrestricted_update may" or "")
end

-- A value whose elements the update must not write either.
local function read_only(c, e, value)
  return readonly.of(value, e.name, function() raise_write_error(c, e) end)
end

local function may_write(c, name)
  local e = c.system.by_name[name]
  if not e and name == "time" then error(("%s: time cannot be written; ctx.time says it"):format(c.label), 3) end
  if not e then require("saltus.closure.diagnostics").raise_name_error(c, "next", name, 4) end
  return e, writable[c.kind][e.partition]
end

function next_proxy.new(c)
  local stream = require("saltus.simulation.random").new(function()
    return c.core:draw(c.part) or names.fail("%s: next.random draws in the update that it was given to, not later or "
      .. "elsewhere; write next.random() there", c.label)
  end)
  return setmetatable({}, {
    __index = function(next, name)
      if name == "random" then return stream end
      local e, may = may_write(c, name)
      check_erased(c, e)
      local value = current_next(c, e)
      if not may then return read_only(c, e, value) end
      store(c, next, e, value)
      return value
    end,
    __newindex = function(next, name, value)
      local e, may = may_write(c, name)
      if not may then raise_write_error(c, e) end
      if value == nil then error(("%s sets next.%s to nil"):format(c.label, name), 2) end
      store(c, next, e, value)
    end,
  })
end

return next_proxy
