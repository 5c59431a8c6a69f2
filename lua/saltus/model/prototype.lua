-- Prototypes: the content that blocks with the same declaration share. Ten thousand gains are ten thousand names and
-- lists of numbers, and one prototype.
local variable = require "saltus.model.variable"
local names = require "saltus.util.names"
local system = require "saltus.model.system"

local prototype = {}

-- The content of a system that is declared in C: `lists` come from src/binding/block_declaration.c. `owner`: its
-- name in errors.
function prototype.content(lists, owner)
  local own = { by_name = {}, ports = {}, slots = {}, events = lists.events, pasts = lists.pasts }
  local home = {}
  for _, section in ipairs(variable.sections) do
    local list = lists[section.name] or {}
    for _, e in ipairs(list) do
      e.partition, e.continuous, e.vector = section.partition, section.continuous, e.size > 1
      if section.continuous then e.weight, e.error = 1.0, section.name == "q" and "absolute" or "relative" end
    end
    system.add_entries(own, section, list, owner, home)
  end
  system.number_slots(own)
  for _, past in ipairs(own.pasts) do past.entry = own.by_name[past.name] end
  for i, e in ipairs(own.events) do
    e.index = i
    for _, d in ipairs(own.discrete) do
      if e.time_offset == d.offset then e.time_variable = d end
    end
  end
  return own
end

-- The prototype of a kind of blocks.
function prototype.new(kind, lists)
  local own = prototype.content(lists, kind.name)
  own.doc, own.block, own.shape = kind.doc, kind.name, own
  return { __index = own }
end

-- A block of a prototype; `numbers`: the initial values of its states and parameters.
function prototype.system(of, name, numbers, history)
  local content = { name = name, source = names.where() or "?", numbers = numbers, history = history }
  return system.freeze(setmetatable(content, of))
end

return prototype
