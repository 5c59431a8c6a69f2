-- Models: flat lists of parts (systems with paths) and of connections between their ports, made of a system or a
-- diagram. The engine reads them.
--
--   parts       { { path = "plant.arm", system =, source = }, ... }; path "" for a lone system
--   connections { { from = part, port = entry, to = part, input = entry }, ... }
--   fed         by socket, the "file:line" that feeds it: the diagram's own table, which may still grow
--   aliases     path -> { part =, entry =, kind = "input"|"output" }: names that diagrams export
--   inputs, outputs   the exports of the outermost diagram, in order: { name =, part =, entry = }
local names = require "saltus.util.names"
local system = require "saltus.model.system"
local variable = require "saltus.model.variable"

local model = {}

local Model = { __name = "saltus.model" }
Model.__index = Model

-- The methods of model_queries.lua are loaded at first use.
setmetatable(Model, { __index = function(_, key) return require("saltus.model.model_queries")[key] end })

local join, split = names.join, names.split

function model.is(value) return getmetatable(value) == Model end

-- Makes a model of these lists. `declared`: the distinct contents of the systems in order of first use; blocks of one
-- prototype count as one.
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
  content.by_input, content.prefixes = false, false -- computed at first use
  return setmetatable(content, Model)
end

local models = setmetatable({}, { __mode = "k" }) -- one system may be added several times

local function of_system(sys)
  models[sys] = models[sys] or model.new { name = sys.name, source = sys.source, connections = {}, fed = {},
    parts = { { path = "", system = sys, source = sys.source } }, aliases = {}, inputs = {}, outputs = {} }
  return models[sys]
end

model.LOOPS_TOO = {}

-- Returns the model of a system, a diagram or a model. Raises an error for other values, and for a diagram with an
-- algebraic loop unless `loops_too` is model.LOOPS_TOO.
function model.of(value, what, loops_too)
  if model.is(value) then return value end
  if system.is(value) then return of_system(value) end
  if names.kind(value) == "diagram" then return value:build(loops_too) end
  return names.fail("%s: expected a system or a diagram, got %s%s", what or "saltus", names.show(value),
    type(value) == "table" and not getmetatable(value) and "; saltus.system { ... } makes a system of one" or "")
end

-- Marks a diagram for which model.of was called as complete, because its model would not follow later changes.
function model.complete(value)
  if names.kind(value) == "diagram" then value.used_at = value.used_at or names.where() or "?" end
end

-- Returns the part and entry of a path without element. `field`: the table of the system with its entries by name.
function Model:find(path, field)
  local alias = self.aliases[path]
  if alias then return alias.part, alias.entry end
  local part_path, name = split(path)
  local part = self.by_path[part_path]
  local e = part and self.parts[part].system[field][name]
  return e and part, e
end

-- Returns the part number, entry and element of a path like "plant.r[2]"; nil and a message with the nearest name.
function Model:resolve(path)
  if type(path) ~= "string" then return nil, ("a path must be a string, got %s"):format(names.show(path)) end
  local whole, index = names.split_element(path)
  local part, e = self:find(whole, "by_name")
  if not part then return self:no_such("name %s", path, self:paths()) end
  local wrong = index and variable.wrong_element(e, index, ("%q"):format(whole))
  if wrong then return nil, wrong end
  return part, e, index
end

-- A key for an input of a part.
function model.socket(part, input) return part << 32 | input.index end

-- "file:line" of a connection.
function Model:line_of(c) return self.fed[model.socket(c.to, c.input)] end

-- The connection that feeds an input of a part; nil if there is none or the entry is no input.
function Model:feeding(part, e)
  if e.partition ~= "input" then return nil end
  if not self.by_input then
    local by = {}
    for _, c in ipairs(self.connections) do by[model.socket(c.to, c.input)] = c end
    self.by_input = by
  end
  return self.by_input[model.socket(part, e)]
end

-- Whether this is the path of a part, or of a diagram that has parts.
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

-- The path of the source of an input; nil if there is none.
function Model:feeder(part, e)
  local c = self:feeding(part, e)
  return c and join(self.parts[c.from].path, c.port.name)
end

-- Raises an error for a connected input: its source would overwrite it.
function Model:check_not_fed(part, e, path)
  local from = e.partition == "input" and self:feeder(part, e)
  if from then names.fail("%q is fed by %q; it cannot be written", path, from) end
end

-- Whether it has events with a `becomes`, or witnesses with a `when`. Integration may change such conditions.
function Model:has_conditions()
  for _, content in ipairs(self.declared) do
    for _, e in ipairs(content.c_system and {} or content.events) do
      if e.trigger == "change" or e.trigger == "witness" and e.when then return true end
    end
  end
  return false
end

-- ---- paths, ports, other defaults ----

-- The path of a part, for messages; the system's name for a lone system.
function Model:part_name(part)
  local p = self.parts[part]
  return p.path ~= "" and p.path or p.system.name
end

-- Returns the part number and event of a path like "guard.shout"; nil and a message.
function Model:event(path)
  if type(path) ~= "string" then return nil, ("an event's name must be a string, got %s"):format(names.show(path)) end
  local part_path, name = split(path)
  local part = self.by_path[part_path]
  for _, event in ipairs(part and self.parts[part].system.events or {}) do
    if event.name == name then return part, event end
  end
  return self:no_such("event %s", path, self:event_paths())
end

-- The same model with other defaults: model:with { ["plant.angle"] = 0.2 }.
function Model:with(overrides)
  return model.new(require("saltus.model.default_overrides").of_model(self, overrides))
end

function Model:__tostring()
  if #self.parts == 1 and self.parts[1].path == "" then return tostring(self.parts[1].system) end
  return require("saltus.model.diagram_tree").text(self)
end

return model
