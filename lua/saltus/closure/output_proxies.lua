-- What closures write their results to: `dot`, `next`, a sequence of residuals; and the v that a velocity map reads.
local context = require "saltus.simulation.context"
local event = require "saltus.model.event"
local names = require "saltus.util.identifiers"
local numerals = require "saltus.util.numerals"

local output_proxies = {}

-- A table with room to spare: names hardly ever share a hash slot.
function output_proxies.preallocate(c, names_in_it) return c.core.sparse(4 * names_in_it) end

function output_proxies.dot(c)
  local known, is_known = {}, {}
  for i, e in ipairs(c.writes) do known[i], is_known[e.name] = e.name, true end
  local function refuse(_, name)
    if is_known[name] then error(("%s sets %q to nil; a number is wanted"):format(c.label, name), 0) end
    local what = c.kind == "derivatives" and "derivative" or "name"
    error(names.unknown(("%s %%s in %s of %s"):format(what, c.kind, c.owner), name, known), 2)
  end
  local dot = output_proxies.preallocate(c, #known)
  for _, name in ipairs(known) do dot[name] = false end
  return setmetatable(dot, { __index = refuse, __newindex = refuse })
end

local residuals = { constraints = "residual", constraint_rates = "rate" }

-- A sequence of known length takes the place of `dot`.
function output_proxies.residual(c, size)
  local e = { name = residuals[c.kind], size = size, vector = true, partition = "output", offset = 0 }
  c.writes = { e }
  local known = ("%s has %s[1] to [%d]"):format(c.label, e.name, size)
  local function refuse(_, key) error(("%s, not [%s]"):format(known, numerals.text(key)), 2) end
  local list = {}
  for i = 1, size do list[i] = false end
  return setmetatable(list, { __index = refuse, __newindex = refuse })
end

function output_proxies.velocity(c)
  local known = {}
  for i, e in ipairs(c.system.v) do known[i] = e.name end
  local function refuse(_, name)
    error(names.unknown(("name %%s in v of velocity_map of %s"):format(c.owner), name, known), 2)
  end
  local v = {}
  for _, name in ipairs(known) do v[name] = false end
  return setmetatable(v, { __index = refuse, __newindex = refuse })
end

-- ---- next: what an update has not written yet it finds as it is ----

local function note_write(c, e)
  if c.written[e] then return end
  c.written[e] = true
  c.writes[#c.writes + 1] = e
  c.core:touch(c.k)
end

-- A name that was written before stands in `next` already, or, when it is one that is fetched,
-- since this call's first touch: when it is not there, it was set to nil.
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

local function may_write(c, name)
  local e = c.system.by_name[name]
  if not e and name == "time" then error(("%s: time cannot be written; ctx.time says it"):format(c.label), 3) end
  if not e then require("saltus.closure.diagnostics").raise_name_error(c, "next", name, 4) end
  return e, event.writable[c.kind][e.partition]
end

function output_proxies.next(c)
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
      if may then
        note_write(c, e)
        c.present[name] = true
        rawset(next, name, value)
      end
      return value
    end,
    __newindex = function(next, name, value)
      local e, may = may_write(c, name)
      if not may then
        local other = c.kind == "discrete_update" and event.writable.unrestricted_update[e.partition]
        error(("%s may write %s only, not %q%s"):format(c.label, c.kind == "discrete_update" and "discrete names"
          or "states and parameters", name, other and "; an unrestricted_update may" or ""), 2)
      end
      if value == nil then error(("%s sets next.%s to nil"):format(c.label, name), 2) end
      note_write(c, e)
      c.present[name] = true
      rawset(next, name, value)
    end,
  })
end

return output_proxies
