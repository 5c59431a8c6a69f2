-- model:with { ... }: the same model with other defaults.
local names = require "saltus.util.identifiers"
local variable = require "saltus.model.variable"

local model_variant = {}

-- A copy with other systems, whose entries have the same names.
local function with_systems(self, systems)
  local out = { name = self.name, source = self.source, parts = {}, connections = {}, fed = self.fed, aliases = {},
    inputs = {}, outputs = {} }
  local function again(part, e)
    local field = self.parts[part].system.ports[e.name] == e and "ports" or "by_name"
    return systems[part][field][e.name]
  end
  for i, part in ipairs(self.parts) do
    out.parts[i] = { path = part.path, system = systems[i], source = part.source }
  end
  for i, c in ipairs(self.connections) do
    out.connections[i] = { from = c.from, port = again(c.from, c.port), to = c.to, input = again(c.to, c.input) }
  end
  for path, a in pairs(self.aliases) do
    out.aliases[path] = { part = a.part, kind = a.kind, entry = again(a.part, a.entry) }
  end
  for _, side in ipairs { "inputs", "outputs" } do
    for i, x in ipairs(self[side]) do
      out[side][i] = { name = x.name, part = x.part, entry = again(x.part, x.entry) }
    end
  end
  return out
end

-- The content of the model with the defaults in `overrides`, by path.
function model_variant.of(self, overrides)
  names.check(type(overrides) == "table", overrides, "with takes a table")
  local by_part = {}
  for _, path in ipairs(names.sorted_keys(overrides)) do
    local part, e, index = self:resolve(path)
    if not part then names.fail("%s", e) end
    self:check_not_fed(part, e, path)
    if not index then variable.value(e, overrides[path], ("%q"):format(path)) end
    local key = index and ("%s[%d]"):format(e.name, index) or e.name
    by_part[part] = by_part[part] or {}
    by_part[part][key] = overrides[path]
  end
  local systems = {}
  for i, part in ipairs(self.parts) do
    systems[i] = by_part[i] and part.system:with(by_part[i], part.path ~= "" and part.path or nil) or part.system
  end
  return with_systems(self, systems)
end

return model_variant
