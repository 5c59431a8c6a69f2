-- Models: what the engine is given. A flat list of parts (leaf systems with
-- paths) and the connections between their ports, made of a system or a diagram.
--
--   parts       { { path = "plant.arm", system =, source = }, ... }; path "" for a lone system
--   connections { { from = part, port = entry, to = part, input = entry }, ... }
--   fed         by socket, "file:line" of what feeds it: the diagram's own table, which may get to know of more
--   aliases     path -> { part =, entry =, kind = "input"|"output" }: names that diagrams export
--   inputs, outputs   what the outermost diagram exports, in order: { name =, part =, entry = }
--
-- What is asked of few models is in flat_model_queries.lua, loaded when it is.
local names = require "saltus.util.identifiers"
local system = require "saltus.model.system"

local model = {}

local Model = setmetatable({ __name = "saltus.model" }, { __index = function(_, key)
  return require("saltus.model.flat_model_queries")[key]
end })
Model.__index = Model

local function join(path, name) return path == "" and name or path .. "." .. name end
model.join = join

function model.is(value) return getmetatable(value) == Model end

-- Reads the lists. `declared` is what the systems declare, in order of first use: the content of each, and once what
-- blocks that declare alike have in common.
function model.new(content)
  local declared, by_path, seen = {}, {}, {}
  for i, part in ipairs(content.parts) do
    by_path[part.path] = i
    local own = system.content(part.system)
    local what = own.shape or own
    if not seen[what] then
      seen[what] = true
      declared[#declared + 1] = what
    end
  end
  content.declared, content.by_path = declared, by_path
  content.by_input, content.prefixes = false, false -- not asked for yet
  return setmetatable(content, Model)
end

local function made_of(sys)
  return model.new { name = sys.name, source = sys.source, parts = { { path = "", system = sys, source = sys.source } },
    connections = {}, fed = {}, aliases = {}, inputs = {}, outputs = {} }
end

local kept = setmetatable({}, { __mode = "k" }) -- one system may be added again and again

local function of_system(sys)
  if not kept[sys] then kept[sys] = made_of(sys) end
  return kept[sys]
end

model.LOOPS_TOO = true

-- The model of a system, a diagram or a model; an error for anything else, and for a diagram with an algebraic loop
-- unless they are welcome.
function model.of(value, what, loops_too)
  if model.is(value) then return value end
  if system.is(value) then return of_system(value) end
  local mt = getmetatable(value)
  if names.kind(value) == "diagram" then
    return loops_too and require("saltus.model.diagram").assemble(value) or value:build()
  end
  return names.fail("%s: expected a system or a diagram, got %s%s", what or "saltus", names.show(value),
    type(value) == "table" and not mt and "; saltus.system { ... } makes a system of one" or "")
end

-- Splits "r[2]" into "r" and 2.
local function split_element(path)
  local name, index = path:match "^(.*)%[(%d+)%]$"
  if name then return name, math.tointeger(tonumber(index)) end
  return path, nil
end

-- Splits at the last dot: "plant.arm.angle" is "angle" of "plant.arm".
function model.split(path)
  local part, name = path:match "^(.*)%.([^.]*)$"
  if part then return part, name end
  return "", path
end

local function check_element(path, e, index)
  if not index then return true end
  if not e.vector then return nil, ("%q is one value, it has no element [%d]"):format(path, index) end
  if index < 1 or index > e.size then
    return nil, ("%q has elements 1 to %d, not [%d]"):format(path, e.size, index)
  end
  return true
end

-- The part and entry of a path without element; `field` of the system lists them by name.
function Model:find(path, field)
  local alias = self.aliases[path]
  if alias then return alias.part, alias.entry end
  local part_path, name = model.split(path)
  local part = self.by_path[part_path]
  local e = part and self.parts[part].system[field][name]
  if e then return part, e end
  return nil
end

-- "plant.r[2]" -> part number, entry, 2; nil and a message with the near name.
function Model:resolve(path)
  if type(path) ~= "string" then return nil, ("a path must be a string, got %s"):format(names.show(path)) end
  local whole, index = split_element(path)
  local part, e = self:find(whole, "by_name")
  if not part then return self:no_such("name %s", path, self:paths()) end
  local ok, message = check_element(whole, e, index)
  if not ok then return nil, message end
  return part, e, index
end

-- Which input of which part, as a key.
function model.socket(part, input) return part << 32 | input.index end

-- "file:line" of a connection.
function Model:line_of(c) return self.fed[model.socket(c.to, c.input)] end

-- The connection that feeds an input of a part; nil when none does, or when it is no input.
function Model:feeding(part, e)
  if e.partition ~= "input" then return nil end
  if not self.by_input then
    local by = {}
    for _, c in ipairs(self.connections) do by[c.to << 32 | c.input.index] = c end
    self.by_input = by
  end
  return self.by_input[part << 32 | e.index]
end

-- Is this the path of a part, or of a diagram that has parts?
function Model:has_parts_under(path)
  if not self.prefixes then
    local known = {}
    for _, part in ipairs(self.parts) do
      local prefix = part.path
      while prefix and prefix ~= "" and not known[prefix] do
        known[prefix] = true
        prefix = prefix:match "^(.*)%.[^.]*$"
      end
    end
    self.prefixes = known
  end
  return self.prefixes[path] == true
end

-- The path of what feeds an input, nil when nothing does.
function Model:feeder(part, e)
  local c = self:feeding(part, e)
  return c and join(self.parts[c.from].path, c.port.name)
end

-- What feeds it would overwrite it: an error for a connected input.
function Model:check_not_fed(part, e, path)
  local from = e.partition == "input" and self:feeder(part, e)
  if from then names.fail("%q is fed by %q; it cannot be written", path, from) end
end

-- What finds where flow may change the conditions of its events; an error for one that flow cannot be followed in.
function Model:find_conditions()
  for _, part in ipairs(self.parts) do
    for _, e in ipairs(system.content(part.system).events) do
      if e.trigger == "change" or e.trigger == "witness" and e.when then
        return require("saltus.model.conditions").prepare(self)
      end
    end
  end
end

function Model:__tostring()
  if #self.parts == 1 and self.parts[1].path == "" then return tostring(self.parts[1].system) end
  return require("saltus.model.diagram_tree").text(self)
end

return model
