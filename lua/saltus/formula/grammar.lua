-- The grammar of formulas: from words to a tree. A node is { op =, [1] =, [2] =, from =, upto = }; the columns say
-- where its words are.
--
--   formula     choice ("->" formula)?                          op "->"
--   choice      both ("or" both)*                               "or"
--   both        span ("and" span)*                              "and"
--   span        prefix (("until" | "after") interval? prefix)?  "until"; p after q: always (q -> always p)
--   prefix      "not" prefix | ("always" | "eventually" | "never" | "within") interval? prefix | bounded
--               never p: always not p; within: another word for eventually
--   bounded     edge ("within" (number | interval))*            "eventually"
--   edge        ("rise" | "fall") edge | comparison
--   comparison  sum (("<" | "<=" | ">" | ">=" | "==" | "~=") sum)?
--   sum         + - over products; products * / over powers; ^ and the sign - as in Lua
--   primary     number | 'mode' | path | function(sum, ...) | (formula)
--
-- Numbers and conditions are told apart by `is`: a path may be a signal or the name of an event, which only the model
-- knows.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local tokens = require "saltus.formula.tokens"

local grammar = {}

local DEEPEST = 150 -- levels of a formula

local Parser = {}
Parser.__index = Parser

local comparisons = { ["<"] = true, ["<="] = true, [">"] = true, [">="] = true, ["=="] = true, ["~="] = true }
local temporal = { always = true, eventually = true, never = true, within = true }

local formula

-- ---- tokens ----

function Parser:peek(text)
  local token = self.list[self.at]
  local is_word = token.kind == "sign" or token.kind == "keyword"
  return text == nil and token or is_word and token.text == text
end

function Parser:take()
  local token = self.list[self.at]
  self.at = self.at + 1
  return token
end

function Parser:fail(token, message, ...) tokens.fail(self.text, token.from, message, ...) end

local function shown(token) return token.kind == "end" and "the end" or names.show(names.brief(token.text)) end

function Parser:expect(text, what)
  if not self:peek(text) then self:fail(self:peek(), "%q is missing %s, found %s", text, what, shown(self:peek())) end
  return self:take()
end

-- The last column of what was read.
function Parser:last() return self.list[self.at - 1].upto end

function Parser:node(op, from, ...)
  local node = { op = op, ... }
  node.from, node.upto = from, self:last()
  return node
end

-- ---- what an operand is ----

local is_number = { number = true, mode = true, ["+"] = true, ["-"] = true, ["*"] = true, ["/"] = true, ["^"] = true,
  ["neg"] = true }
local either = { path = true, call = true }

function Parser:words(node) return names.brief(self.text:sub(node.from, node.upto)) end

function Parser:check_condition(node, operator)
  if not is_number[node.op] then return node end
  local words = self:words(node)
  tokens.fail(self.text, node.from, "%s takes conditions, and %q is %s; compare it, as in %s > 0", operator, words,
    node.op == "mode" and "a mode" or "a number", words)
end

function Parser:check_number(node, operator)
  if is_number[node.op] or either[node.op] then return node end
  tokens.fail(self.text, node.from, "%s takes numbers, and %q is a condition%s", operator,
    self:words(node), comparisons[node.op] and comparisons[operator:gsub('"', "")]
    and "; join two comparisons with and" or "")
end

function Parser:binary(op, left, right) return self:node(op, left.from, left, right) end

-- ---- intervals ----

function Parser:bound(where)
  local token = self:take()
  if token.kind == "name" and token.text == "inf" then return math.huge end
  local value = token.kind == "number" and numerals.parse(token.text)
  if not value then self:fail(token, "a number of seconds is missing %s, found %s", where, shown(token)) end
  return value + 0.0
end

-- Reads [a, b]; without it, the whole time from now on.
function Parser:interval()
  if not self:peek "[" then return 0.0, math.huge end
  local open = self:take()
  local a = self:bound "in the interval"
  if self:peek "]" then self:fail(open, "an interval has two ends: write [0, %s]", numerals.shortest(a)) end
  self:expect(",", "between the ends of the interval")
  local b = self:bound "in the interval"
  self:expect("]", "at the end of the interval")
  if not (a <= b) or a == math.huge then
    self:fail(open, "the interval [%s, %s] is empty; its ends must ascend", names.show(a), names.show(b))
  end
  return a, b
end

function Parser:with_interval(op, from, a, b, ...)
  local node = self:node(op, from, ...)
  node.a, node.b = a, b
  return node
end

-- ---- numbers ----

function Parser:arguments(name, open)
  local list = {}
  self:take()
  if not self:peek ")" then
    repeat
      list[#list + 1] = self:check_number(self:sum(), ("the function %q"):format(names.brief(name)))
      local more = self:peek ","
      if more then self:take() end
    until not more
  end
  if not self:peek ")" then self:fail(open, "the bracket of %s is not closed", names.brief(name)) end
  self:take()
  return list
end

function Parser:name()
  local token = self:take()
  if not self:peek "(" then
    local node = self:node("path", token.from)
    node.path = token.text
    return node
  end
  local list = self:arguments(token.text, self:peek())
  local node = self:node("call", token.from, table.unpack(list))
  node.name = token.text
  return node
end

function Parser:primary()
  local token = self:peek()
  if token.kind == "name" then return self:name() end
  self:take()
  if token.kind == "number" or token.kind == "mode" then
    local node = self:node(token.kind, token.from)
    node.value = token.kind == "mode" and token.text:sub(2, -2) or numerals.parse(token.text)
    if node.value ~= node.value or node.value == math.huge then
      self:fail(token, "%s is too large", names.brief(token.text))
    end
    return node
  end
  if token.text == "(" then
    local inner = self:nested(formula)
    if not self:peek ")" then
      self:fail(token, "the bracket is not closed; found %s%s", shown(self:peek()), self:peek ","
        and "; times are in square brackets, as in always[0, 5]" or self:misspelt())
    end
    self:take()
    return inner
  end
  self:fail(token, "a name, a number or a condition is missing, found %s", shown(token))
end

-- Reads with `fn` one level deeper.
function Parser:nested(fn)
  self.depth = self.depth + 1
  if self.depth > DEEPEST then self:fail(self:peek(), "the formula is nested more than %d deep", DEEPEST) end
  local node = fn(self)
  self.depth = self.depth - 1
  return node
end

function Parser:power()
  local base = self:primary()
  if not self:peek "^" then return base end
  self:take()
  self:check_number(base, '"^"')
  return self:binary("^", base, self:check_number(self:nested(self.signed), '"^"'))
end

function Parser:signed()
  if not self:peek "-" then return self:power() end
  local from = self:take().from
  return self:node("neg", from, self:check_number(self:nested(self.signed), '"-"'))
end

function Parser:chain(operators, operand)
  local left = operand(self)
  while self:peek().kind == "sign" and operators[self:peek().text] do
    local op = self:take().text
    self:check_number(left, ("%q"):format(op))
    left = self:binary(op, left, self:check_number(operand(self), ("%q"):format(op)))
  end
  return left
end

function Parser:product() return self:chain({ ["*"] = true, ["/"] = true }, self.signed) end

function Parser:sum() return self:chain({ ["+"] = true, ["-"] = true }, self.product) end

-- ---- conditions ----

function Parser:comparison()
  local left = self:sum()
  if self:peek().kind ~= "sign" or not comparisons[self:peek().text] then return left end
  local op = self:take().text
  local right = self:check_number(self:sum(), ("%q"):format(op))
  local node = self:binary(op, self:check_number(left, ("%q"):format(op)), right)
  if comparisons[self:peek().text] then
    self:fail(self:peek(), "one comparison has two sides; join two with and")
  end
  if (left.op == "mode" or right.op == "mode") and op ~= "==" and op ~= "~=" then
    tokens.fail(self.text, left.from, "modes can be equal or not; write == or ~= instead of %s", op)
  end
  return node
end

function Parser:edge()
  local token = self:peek()
  if not (self:peek "rise" or self:peek "fall") then return self:comparison() end
  self:take()
  return self:node(token.text, token.from, self:check_condition(self:nested(self.edge), token.text))
end

-- What follows "within": an interval, or how long from now.
function Parser:time_limit()
  if self:peek "[" then return self:interval() end
  return 0.0, self:bound "after within, as in within 3"
end

function Parser:bounded()
  local node = self:edge()
  while self:peek "within" do
    self:take()
    self:check_condition(node, "within")
    local a, b = self:time_limit()
    node = self:with_interval("eventually", node.from, a, b, node)
  end
  return node
end

-- A node that no words of its own stand for.
local function implied(op, words, ...)
  local node = { op = op, from = words.from, upto = words.upto, implied = true, ... }
  return node
end

-- Reads the interval of a word and the condition that follows: within[0, 3] x > 0, and not within 3 x > 0.
function Parser:timed(word)
  local has_interval = self:peek "["
  local a, b = self:interval()
  local node = self:nested(self.prefix)
  if node.op == "number" and not has_interval then
    local rest = self.text:sub(node.upto + 1):match "^%s*(.*%S)"
    tokens.fail(self.text, node.from, "%s takes its times in brackets and then a condition; write %s[0, %s] %s", word,
      word, self:words(node), rest and names.brief(rest) or "and a condition")
  end
  return a, b, self:check_condition(node, word)
end

local meant_by = { within = "eventually", never = "always" }

function Parser:prefix()
  local token = self:peek()
  if self:peek "not" then
    self:take()
    return self:node("not", token.from, self:check_condition(self:nested(self.prefix), "not"))
  end
  if token.kind ~= "keyword" or not temporal[token.text] then return self:bounded() end
  self:take()
  local a, b, inner = self:timed(token.text)
  if token.text == "never" then inner = implied("not", inner, inner) end
  return self:with_interval(meant_by[token.text] or token.text, token.from, a, b, inner)
end

-- p after[a,b] q: always (q -> always[a,b] p)
local function whenever(after)
  local p, q = after[1], after[2]
  local held = implied("always", p, p)
  held.a, held.b = after.a, after.b
  local node = implied("always", after, implied("->", after, q, held))
  node.a, node.b, node.implied = 0.0, math.huge, nil
  return node
end

function Parser:span()
  local left = self:prefix()
  local token = self:peek()
  if not (self:peek "until" or self:peek "after") then return left end
  self:take()
  self:check_condition(left, token.text)
  local a, b, right = self:timed(token.text)
  if self:peek "until" or self:peek "after" then
    self:fail(self:peek(), "put brackets around one of the two: (a %s b) %s c", token.text, self:peek().text)
  end
  local node = self:with_interval(token.text, left.from, a, b, left, right)
  return token.text == "after" and whenever(node) or node
end

function Parser:joined(word, operand)
  local left = operand(self)
  while self:peek(word) do
    self:take()
    self:check_condition(left, word)
    left = self:binary(word, left, self:check_condition(operand(self), word))
  end
  return left
end

function Parser:both() return self:joined("and", self.span) end

function Parser:choice() return self:joined("or", self.both) end

function formula(self)
  local left = self:choice()
  if not self:peek "->" then return left end
  self:take()
  self:check_condition(left, "->")
  return self:binary("->", left, self:check_condition(self:nested(formula), "->"))
end

-- ---- the tree ----

local Tree = { __name = "saltus.formula" }

function Tree:__tostring() return self.text end

function grammar.is_tree(value) return getmetatable(value) == Tree end

-- The words of a node.
function grammar.words(tree, node) return tree.text:sub(node.from, node.upto) end

-- Raises an error that quotes the formula and names the column of a node.
function grammar.fail(tree, node, message, ...) tokens.fail(tree.text, node.from, message, ...) end

-- Calls fn(node) for all nodes below `node`, and for itself first.
function grammar.visit(node, fn)
  fn(node)
  for _, child in ipairs(node) do grammar.visit(child, fn) end
end

-- The keyword that the last name, or the next one, may mean.
function Parser:misspelt()
  local known = names.joined(names.sorted_keys(tokens.keywords), { "->" })
  for at = self.at - 1, self.at do
    local meant = self.list[at].kind == "name" and names.near_hint(self.list[at].text, known)
    if meant and meant ~= "" then return meant end
  end
  return ""
end

-- Returns a tree { text =, root = } of a formula.
function grammar.parse(text)
  local parser = setmetatable({ text = text, list = tokens.list(text), at = 1, depth = 0 }, Parser)
  if parser:peek().kind == "end" then parser:fail(parser:peek(), "the formula is empty") end
  local root = formula(parser)
  if parser:peek().kind ~= "end" then
    parser:fail(parser:peek(), "the formula should end here, or go on with and, or, until; found %s%s",
      shown(parser:peek()), parser:misspelt())
  end
  parser:check_condition(root, "a formula")
  return setmetatable({ text = text, root = root }, Tree)
end

return grammar
