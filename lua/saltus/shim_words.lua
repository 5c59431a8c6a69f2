-- What is said to a closure that reads or writes what it must not.
local names = require "saltus.names"

local words = {}

-- The partitions that an update of a kind may write.
words.writable = {
  discrete_update = { xd = true },
  unrestricted_update = { q = true, v = true, z = true, xd = true, abstract = true, param = true },
}
local writable = words.writable

local function known_names(c)
  local list = { "time" }
  for name in pairs(c.system.by_name) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- `level`: of the closure's line.
function words.refuse_name(c, what, name, level)
  error(names.unknown(("name %%s in %s of %s"):format(what, c.label), name, known_names(c)), level)
end

local flowing = { q = true, v = true, z = true }

-- Where what was meant can be written.
local function cure(c, name)
  local e = c.system.by_name[name]
  local partition = e and e.partition
  if c.kind == "derivatives" and flowing[partition] then return ("; write dot.%s"):format(name) end
  if writable[c.kind] and writable[c.kind][partition] then return ("; write next.%s"):format(name) end
  if partition == "xd" then return ("; an update may write next.%s"):format(name) end
  if writable.unrestricted_update[partition] then return ("; an unrestricted update may write next.%s"):format(name) end
  return "; keep what is no state in a local"
end

function words.refuse_write(c, name, level)
  error(("%s of %s writes ctx.%s, but ctx is read-only%s"):format(c.what, c.owner, tostring(name), cure(c, name)),
    level or 0)
end

return words
