-- Formulas by functions, for those that a program generates. An operand is a text or a tree; the result is the tree of
-- the text that they make, so there is one grammar.
--
--   formula.always(formula.implies("level > 2", formula.eventually("pump == 'off'", { 0, 0.3 })))
local grammar = require "saltus.formula.grammar"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local constructors = {}

local function words(operand, what)
  if grammar.is_tree(operand) then return "(" .. operand.text .. ")" end
  names.check(type(operand) == "string", operand, "formula.%s takes a text or a tree", what)
  return "(" .. grammar.parse(operand).text .. ")"
end

local function bound(value) return value == math.huge and "inf" or numerals.shortest(value) end

-- "[0,0.3]" of { 0, 0.3 }; "" of nil.
local function interval(given, what)
  if given == nil then return "" end
  local a, b = type(given) == "table" and given[1], type(given) == "table" and given[2]
  names.check(type(a) == "number" and type(b) == "number" and a >= 0 and a <= b and a < math.huge, given,
    "formula.%s: an interval is { from, upto } in seconds", what)
  return ("[%s,%s]"):format(bound(a), bound(b))
end

local function prefix(name, word)
  constructors[name] = function(operand, span)
    return grammar.parse(word .. interval(span, name) .. " " .. words(operand, name))
  end
end

prefix("always", "always")
prefix("eventually", "eventually")
prefix("never", "never")
prefix("negation", "not")
prefix("rise", "rise")
prefix("fall", "fall")

local function infix(name, word)
  constructors[name] = function(left, right, span)
    return grammar.parse(("%s %s%s %s"):format(words(left, name), word, interval(span, name), words(right, name)))
  end
end

infix("implies", "->")
infix("holds_until", "until")
infix("after", "after")

local function list(name, word)
  constructors[name] = function(...)
    local parts = {}
    for i, operand in ipairs { ... } do parts[i] = words(operand, name) end
    names.fail_if(#parts == 0, "formula.%s takes at least one condition", name)
    return grammar.parse(table.concat(parts, " " .. word .. " "))
  end
end

list("all", "and")
list("any", "or")

return constructors
