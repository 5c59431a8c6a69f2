-- The tables to which closures write: `dot`, and a sequence of residuals; and the v that a velocity map reads.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local output_proxies = {}

-- Sets all keys to false. Any other key, read or written, calls `refuse`.
local function guarded(t, keys, refuse)
  for _, key in ipairs(keys) do t[key] = false end
  return setmetatable(t, { __index = refuse, __newindex = refuse })
end

function output_proxies.dot(c)
  local known, is_known = {}, {}
  for i, e in ipairs(c.writes) do known[i], is_known[e.name] = e.name, true end
  local function refuse(_, name)
    if is_known[name] then -- read by the adapter, after the closure
      local at = names.defined(c.fn) or c.system.source
      error(("%s: %s sets %q to nil; it must be a number"):format(at, c.label, name), 0)
    end
    local what = c.kind == "derivatives" and "derivative" or "name"
    error(names.unknown(("%s %%s in %s of %s"):format(what, c.kind, c.owner), name, known), 2)
  end
  return guarded({}, known, refuse)
end

local residuals = { constraints = "residual", constraint_rates = "rate" }

-- A sequence of known length, instead of `dot`.
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
  local known = names.of(c.system.v)
  local function refuse(_, name)
    error(names.unknown(("name %%s in v of velocity_map of %s"):format(c.owner), name, known), 2)
  end
  return guarded({}, known, refuse)
end

return output_proxies
