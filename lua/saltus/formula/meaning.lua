-- What the names of a formula mean in a model: signals, events, functions.
--
--   meaning.of(tree, model, functions, more) checks all names and returns, by node,
--   { path =, part =, entry =, index =, held = } of a signal; { event = } of an event; { call = } of a function
--
-- `functions`: the user's, by name. `more`: names that are no part of the model, as sets: columns = such as the
-- functions of a log; emits = the events that stories may emit, of saltus.story.emits. The event of a story has
-- `emitted`.
local grammar = require "saltus.formula.grammar"
local names = require "saltus.util.names"

local meaning = {}

-- Functions that every formula knows.
meaning.functions = { abs = math.abs, min = math.min, max = math.max, sqrt = math.sqrt, exp = math.exp, log = math.log,
  sin = math.sin, cos = math.cos, tan = math.tan, atan = math.atan, floor = math.floor, ceil = math.ceil }

-- How many numbers they take; one, if it is not said here.
local counts = { min = { 1, math.huge }, max = { 1, math.huge }, log = { 1, 2 }, atan = { 1, 2 } }

local logical = { ["not"] = true, ["and"] = true, ["or"] = true, ["->"] = true, always = true, eventually = true,
  ["until"] = true, rise = true, fall = true }
local equalities = { ["=="] = true, ["~="] = true }

meaning.is_comparison = { ["<"] = true, ["<="] = true, [">"] = true, [">="] = true, ["=="] = true, ["~="] = true }
meaning.inverse = { ["<"] = ">=", [">="] = "<", [">"] = "<=", ["<="] = ">", ["=="] = "~=", ["~="] = "==" }
meaning.is_temporal = { always = true, eventually = true, ["until"] = true, rise = true, fall = true }

local Reader = {}
Reader.__index = Reader

function Reader:fail(node, ...) grammar.fail(self.tree, node, ...) end

-- ---- signals ----

local constant = { xd = true, param = true }

function Reader:signal(node)
  local path = node.path
  if path == "time" then return { path = path, time = true } end
  if self.columns[path] then return { path = path } end
  local part, entry, index = self.model:resolve(path)
  if not part then self:fail(node, "%s", self.model:event(path) and ("%q is an event, not a number"):format(path)
    or entry) end
  if entry.abstract then self:fail(node, "%q is abstract; compare a number or a mode", path) end
  if entry.vector and not index then
    self:fail(node, "%q has %d elements; write one, like %s[1]", path, entry.size, path)
  end
  return { path = path, part = part, entry = entry, index = index, modes = entry.values,
    held = constant[entry.partition] or entry.values ~= nil }
end

function Reader:event(node)
  local path = node.path
  local is_own = self.model:event(path) ~= nil
  if is_own or self.emits[path] and not self.model:resolve(path) then
    self.found[node] = { event = path, emitted = not is_own }
    return
  end
  if path ~= "time" and not self.model:resolve(path) then
    local known = names.joined(self.model:event_paths(), self.model:paths(), names.sorted_keys(self.emits))
    self:fail(node, "%s", names.unknown("name", path, known))
  end
  self:fail(node, "%q is a %s; a condition compares it, as in %s", path,
    self:signal(node).modes and "mode" or "number", self:signal(node).modes
    and ("%s == '%s'"):format(path, self:signal(node).modes[1]) or path .. " > 0")
end

-- ---- functions ----

local function count_text(least, most)
  if most == math.huge then return ("%d number or more"):format(least) end
  return least == most and ("%d number"):format(least) or ("%d or %d numbers"):format(least, most)
end

-- The function that every formula knows, if it can take as many numbers.
function Reader:own_function(node)
  local range, count = counts[node.name] or { 1, 1 }, #node
  if meaning.functions[node.name] and (count < range[1] or count > range[2]) then
    self:fail(node, "%s takes %s, got %d", node.name, count_text(range[1], range[2]), count)
  end
  return meaning.functions[node.name]
end

function Reader:call(node)
  local fn = self.functions[node.name]
  if fn == nil then fn = self:own_function(node) end
  local known = names.joined(names.sorted_keys(self.functions), names.sorted_keys(meaning.functions))
  if fn == nil then self:fail(node, "%s", names.unknown("function", node.name, known)) end
  if type(fn) ~= "function" then self:fail(node, "%q must be a function, got %s", node.name, names.show(fn)) end
  self.found[node] = { call = fn }
  for _, argument in ipairs(node) do self:number(argument) end
end

-- ---- numbers ----

-- Whether no part of it flows; functions of what is constant are constant.
function Reader:is_held(node)
  local held = true
  grammar.visit(node, function(n) held = held and not (n.op == "path" and not self.found[n].held) end)
  return held
end

function Reader:number(node)
  if node.op == "path" then
    self.found[node] = self.found[node] or self:signal(node)
    local modes = self.found[node].modes
    if modes then self:fail(node, "%q is a mode; compare it with == or ~=, as in %s == '%s'", node.path, node.path,
      modes[1]) end
  elseif node.op == "call" then
    self:call(node)
  elseif node.op == "mode" then
    self:fail(node, "the mode '%s' must be one side of == or ~=", node.value)
  else
    for _, child in ipairs(node) do self:number(child) end
  end
end

-- A value of a mode that was written without quotes, and so looks like a name.
function Reader:check_quotes(node, value, mode)
  if value.op ~= "path" or mode.op ~= "path" or self.model:resolve(value.path) then return end
  local _, entry = self.model:resolve(mode.path)
  if type(entry) == "table" and entry.values and names.index_of(entry.values, value.path) then
    self:fail(value, "%s is a value of the mode %q; write it in quotes: %s %s '%s'", value.path, mode.path, mode.path,
      node.op, value.path)
  end
end

-- Whether the two sides of an equality are modes.
function Reader:modes(node)
  self:check_quotes(node, node[2], node[1])
  self:check_quotes(node, node[1], node[2])
  local modes, other, texts = nil, nil, 0
  for _, side in ipairs(node) do
    if side.op == "path" then
      self.found[side] = self:signal(side)
      modes = modes or self.found[side].modes
      other = not self.found[side].modes and side or other
    end
    if side.op == "mode" then texts = texts + 1 end
  end
  if not modes and texts == 0 then return false end
  for _, side in ipairs(node) do
    if side.op == "mode" and modes and not names.index_of(modes, side.value) then
      self:fail(side, "a mode %s", names.not_one_of(names.brief(side.value), modes))
    end
    if other and other == side then self:fail(side, "%q is a number, not a mode", side.path) end
    if side.op ~= "path" and side.op ~= "mode" then self:fail(side, "a mode can be compared with a mode only") end
  end
  if texts == 2 then self:fail(node, "one side must be the name of a mode") end
  return true
end

function Reader:comparison(node)
  if equalities[node.op] and self:modes(node) then
    self.found[node] = { modes = true }
    return
  end
  self:number(node[1])
  self:number(node[2])
  if equalities[node.op] and not (self:is_held(node[1]) and self:is_held(node[2])) then
    self:fail(node, "it compares numbers that flow by %s: a step need not meet the point where they are equal; write "
      .. "<= or >=, or how far they may be apart: abs(%s - (%s)) < 0.01", node.op,
      grammar.words(self.tree, node[1]), grammar.words(self.tree, node[2]))
  end
end

function Reader:condition(node)
  if node.op == "path" then return self:event(node) end
  if node.op == "call" then return self:call(node) end
  if not logical[node.op] then return self:comparison(node) end
  for _, child in ipairs(node) do self:condition(child) end
end

function meaning.of(tree, model, functions, more)
  names.check_type(functions, "table", "a formula's functions must be a table of functions by name")
  local reader = setmetatable({ tree = tree, model = model, functions = functions or {}, found = {},
    columns = more and more.columns or {}, emits = more and more.emits or {} }, Reader)
  reader:condition(tree.root)
  return reader.found
end

return meaning
