-- What few models are asked: all their paths and the words about a wrong one, ports by path, other defaults, what
-- they have in common. Methods of the models of flat_model.lua.
local variable = require "saltus.model.variable"
local model = require "saltus.model.flat_model"
local names = require "saltus.util.identifiers"
local numerals = require "saltus.util.numerals"

local deeds = {}
local join = model.join

-- The distinct systems, in order of first use.
function deeds:systems()
  local out, seen = {}, {}
  for _, part in ipairs(self.parts) do
    if not seen[part.system] then out[#out + 1] = part.system end
    seen[part.system] = true
  end
  return out
end

-- All full paths of what `pick(system)` lists as entries or events.
local function all_paths(self, pick)
  local out = {}
  for _, part in ipairs(self.parts) do
    for _, e in ipairs(pick(part.system)) do out[#out + 1] = join(part.path, e.name) end
  end
  return out
end

local function values_of(sys)
  local out = {}
  for _, section in ipairs(variable.sections) do
    for _, e in ipairs(sys[section.name]) do
      if sys.by_name[e.name] == e then out[#out + 1] = e end
    end
  end
  return out
end

-- Every path of a value: states, parameters, inputs, outputs, exported names.
function deeds:paths()
  local out = all_paths(self, values_of)
  for _, alias in ipairs(names.sorted_keys(self.aliases)) do out[#out + 1] = alias end
  return out
end

function deeds:event_paths()
  return all_paths(self, function(sys) return sys.events end)
end

-- "height" where there is a "ball.height".
local function deeper(path, candidates)
  local found = {}
  for _, candidate in ipairs(candidates) do
    if #found < 3 and candidate:sub(-#path - 1) == "." .. path then found[#found + 1] = ("%q"):format(candidate) end
  end
  return found[1] and table.concat(found, " or ")
end

-- nil and the words about a path that there is not.
function deeds:no_such(what, path, candidates)
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
    text = text .. (" (paths never begin with the outermost system's own name)"):format()
  end
  return nil, text
end

-- "guard.shout" -> part number, event; nil and a message.
function deeds:event(path)
  if type(path) ~= "string" then return nil, ("an event's name must be a string, got %s"):format(names.show(path)) end
  local part_path, name = model.split(path)
  local part = self.by_path[part_path]
  for _, event in ipairs(part and self.parts[part].system.events or {}) do
    if event.name == name then return part, event end
  end
  return self:no_such("event %s", path, self:event_paths())
end

-- Of an input where an output is wanted, or the other way.
local function other_side(self, path, text, wanted)
  local _, e = self:find(path, "by_name")
  if not e or e.partition == "param" or e.abstract then return nil, text end
  if (e.partition == "input") == (wanted == "input") then return nil, text end
  local what = e.partition == "input" and "an input" or e.partition == "output" and "an output" or "a state"
  return nil, ("%q is %s; signals flow from an output or state to an input"):format(path, what)
end

-- The port that a path names as a source; a path of a part with one output stands for it.
function deeds:output_port(path)
  local part, e = self:find(path, "ports")
  if part and e.partition ~= "input" then return part, e end
  local candidates = all_paths(self, function(sys)
    local list = {}
    for _, name in ipairs(names.sorted_keys(sys.ports)) do list[#list + 1] = sys.ports[name] end
    return list
  end)
  for name, alias in pairs(self.aliases) do
    if alias.kind == "output" then candidates[#candidates + 1] = name end
  end
  return other_side(self, path, select(2, self:no_such("output %s", path, candidates)), "output")
end

function deeds:input_port(path)
  local alias = self.aliases[path]
  if alias and alias.kind == "input" then return alias.part, alias.entry end
  local part, e = self:find(path, "by_name")
  if part and e.partition == "input" then return part, e end
  local candidates = all_paths(self, function(sys) return sys.inputs end)
  for name, other in pairs(self.aliases) do
    if other.kind == "input" then candidates[#candidates + 1] = name end
  end
  return other_side(self, path, select(2, self:no_such("input %s", path, candidates)), "input")
end

-- The one output (input) of the whole, for where a part stands for its port.
function deeds:single_output()
  if #self.parts > 1 or self.outputs[1] then
    if #self.outputs == 1 then return self.outputs[1].part, self.outputs[1].entry end
    return nil
  end
  local sys = self.parts[1].system
  if #sys.outputs == 1 then return 1, sys.outputs[1] end
  local only = #sys.outputs == 0 and names.sorted_keys(sys.ports) or {}
  if #only == 1 then return 1, sys.ports[only[1]] end
  return nil
end

function deeds:single_input()
  if #self.parts > 1 or self.inputs[1] then
    if #self.inputs == 1 then return self.inputs[1].part, self.inputs[1].entry end
    return nil
  end
  local sys = self.parts[1].system
  if #sys.inputs == 1 then return 1, sys.inputs[1] end
  return nil
end

-- Shallow copy with other systems: entries are found again by name.
local function with_systems(self, systems)
  local out = { name = self.name, source = self.source, parts = {}, connections = {}, fed = self.fed, aliases = {},
    inputs = {}, outputs = {} }
  local function again(part, e, field) return systems[part][field][e.name] end
  for i, part in ipairs(self.parts) do
    out.parts[i] = { path = part.path, system = systems[i], source = part.source }
  end
  for i, c in ipairs(self.connections) do
    out.connections[i] = { from = c.from, port = again(c.from, c.port, "ports"), to = c.to,
      input = again(c.to, c.input, "by_name") }
  end
  for path, a in pairs(self.aliases) do
    out.aliases[path] = { part = a.part, kind = a.kind,
      entry = again(a.part, a.entry, a.kind == "output" and "ports" or "by_name") }
  end
  for _, side in ipairs { "inputs", "outputs" } do
    for i, x in ipairs(self[side]) do
      out[side][i] = { name = x.name, part = x.part,
        entry = again(x.part, x.entry, side == "outputs" and "ports" or "by_name") }
    end
  end
  return model.new(out)
end

-- model:with { ["plant.angle"] = 0.2 } answers the same model with other defaults.
function deeds:with(overrides)
  if type(overrides) ~= "table" then names.fail("with takes a table, got %s", names.show(overrides)) end
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

-- Period and offset of all periodic discrete updates when they share one timing; else nil and why not.
function deeds:sampling()
  local first, text
  for _, part in ipairs(self.parts) do
    for _, e in ipairs(part.system.events) do
      if e.trigger == "period" and e.kind == "discrete_update" then
        local now = numerals.format("%q (every %.10g s, offset %.10g s)", join(part.path, e.name), e.every, e.offset)
        if first and (e.every ~= first.every or e.offset ~= first.offset) then
          return nil, ("%q has no unique period: %s and %s differ"):format(self.name, text, now)
        end
        first, text = first or e, text or now
      end
    end
  end
  if not first then return nil, ("%q has no periodic discrete update"):format(self.name) end
  return first.every, first.offset
end

-- Connections between two different units, as lines of text.
function deeds:unit_warnings()
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

return deeds
