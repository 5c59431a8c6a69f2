-- What is asked about a model besides the parts and paths of every run: its lists, and errors about paths.
local names = require "saltus.util.names"
local variable = require "saltus.model.variable"

local Queries = {}

local join = names.join

-- The elements of the whole continuous state in the engine's order, all q, all v, all z: { part =, name = "r[2]" }.
function Queries:state_elements()
  local out = {}
  for _, section in ipairs { "q", "v", "z" } do
    for i, part in ipairs(self.parts) do
      for _, e in ipairs(part.system[section]) do
        for k = 1, e.size do
          out[#out + 1] = { part = i, name = e.vector and ("%s[%d]"):format(e.name, k) or e.name }
        end
      end
    end
  end
  return out
end

-- The distinct systems, in order of first use.
function Queries:systems()
  local out, seen = {}, {}
  for _, part in ipairs(self.parts) do
    if not seen[part.system] then out[#out + 1] = part.system end
    seen[part.system] = true
  end
  return out
end

-- The paths of all entries or events that `pick(system)` lists.
function Queries:all_paths(pick)
  local out = {}
  for _, part in ipairs(self.parts) do
    for _, e in ipairs(pick(part.system)) do out[#out + 1] = join(part.path, e.name) end
  end
  return out
end

-- The paths of all values: states, parameters, inputs, outputs, exported names.
function Queries:paths()
  local out = self:all_paths(variable.in_ctx)
  for _, alias in ipairs(names.sorted_keys(self.aliases)) do out[#out + 1] = alias end
  return out
end

function Queries:event_paths()
  return self:all_paths(function(sys) return sys.events end)
end

-- Finds "ball.height" for "height".
local function deeper(path, candidates)
  local found = {}
  for _, candidate in ipairs(candidates) do
    if #found < 3 and candidate:sub(-#path - 1) == "." .. path then found[#found + 1] = ("%q"):format(candidate) end
  end
  return found[1] and table.concat(found, " or ")
end

-- Returns nil and a message about a path that does not exist.
function Queries:no_such(what, path, candidates)
  local near_part
  for _, candidate in ipairs(candidates) do
    if candidate:sub(1, #path + 1) == path .. "." then near_part = candidate break end
  end
  local text
  if near_part then
    text = ("%q is a part of %q; name one of its values, like %q"):format(path, self.name, near_part)
  else
    local below = deeper(path, candidates)
    text = names.unknown(what .. (" in %q"):format(self.name), path, below and {} or candidates)
    if below then text = ("%s; did you mean %s?"):format(text, below) end
  end
  local own = path:match "^([%a_][%w_]*)%."
  if own == self.name and not near_part then
    text = text .. " (paths never begin with the outermost system's own name)"
  end
  return nil, text
end

-- Returns the common period and offset of all periodic discrete updates; nil and the reason if there are none.
function Queries:sampling() return require("saltus.model.sampling").of(self.name, self.parts) end

-- Connections between two different units, as lines of text.
function Queries:unit_warnings()
  local out = {}
  for _, c in ipairs(self.connections) do
    local a, b = c.port.unit, c.input.unit
    if a and b and a ~= b then
      out[#out + 1] = ("%s [%s] feeds %s [%s]: two units"):format(join(self.parts[c.from].path, c.port.name), a,
        join(self.parts[c.to].path, c.input.name), b)
    end
  end
  return out
end

return Queries
