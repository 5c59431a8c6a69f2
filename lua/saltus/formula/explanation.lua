-- Why a formula has its robustness: the chain of terms that decide it, each at its time, down to one comparison.
local grammar = require "saltus.formula.grammar"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local signal = require "saltus.formula.signal"

local explanation = {}

local huge = math.huge
local SIDES = { [-1] = " (before the jump)", [0] = "", [1] = "" }

-- ---- places in signals ----

-- Calls fn(t, side, value) for the limits and the points of x from `from` to `upto`, in their order. `side`: that of
-- both ends, so a window that is just before another ends just before its end.
local function each_limit(x, from, upto, side, fn)
  local function at(t, first, last)
    for s = first, last do fn(t, s, signal.at(x, t, s)) end
  end
  if upto <= from then return at(from, side, side) end
  at(from, side, 1)
  for i = 1, x.n + 1 do
    local t = x.t[i]
    if t > from and t < upto then
      fn(t, -1, x.r[i - 1])
      fn(t, 0, x.p[i])
      if x.l[i] then fn(t, 1, x.l[i]) end
    end
  end
  at(upto, -1, side)
end

-- The first place of the extreme of x from `from` to `upto`: t, side, value.
local function extreme(x, from, upto, pick, side)
  local best_t, best_side, best
  each_limit(x, from, upto, side or 0, function(t, s, value)
    if best == nil or value ~= best and pick(value, best) == value then best_t, best_side, best = t, s, value end
  end)
  return best_t, best_side, best
end

-- Where a straight line from a value that holds to one that fails leaves 0; an infinite one leaves it at the end.
local function zero_between(t, value, upto, fails)
  if value == huge or fails == -huge then return upto end
  return t + (upto - t) * (value / (value - fails))
end

-- The first time from `from` on, up to `upto`, at which x fails; nil if there is none.
function explanation.first_failure(x, from, upto)
  if signal.at(x, from, 0) < 0 then return from end
  if upto <= from then return nil end
  local last_t, last = from, signal.at(x, from, 1)
  if last < 0 then return from end
  local times, points, left, right = x.t, x.p, x.l, x.r
  for i = 2, x.n + 1 do
    local t = times[i]
    if t >= upto then break end
    if t > from then
      local value = right[i - 1]
      if value < 0 then return zero_between(last_t, last, t, value) end
      last_t, last = t, left[i] or points[i]
      if points[i] < 0 or last < 0 then return t end
    end
  end
  local value = signal.at(x, upto, -1)
  if value < 0 then return zero_between(last_t, last, upto, value) end
  return signal.at(x, upto, 0) < 0 and upto or nil
end

-- The span around t in which x holds.
local function span_of_truth(x, t)
  local from, upto = t, t
  for i = x.n + 1, 1, -1 do
    if x.t[i] <= t then
      if x.p[i] < 0 or x.t[i] < t and x.l[i] < 0 then break end
      from = x.t[i]
      if i > 1 and x.r[i - 1] < 0 then break end
    end
  end
  for i = 1, x.n + 1 do
    if x.t[i] >= t then
      if x.p[i] < 0 or i > 1 and x.t[i] > t and x.r[i - 1] < 0 then break end
      upto = x.t[i]
      if x.l[i] and x.l[i] < 0 then break end
    end
  end
  return from, upto
end

-- ---- the chain ----

local Chain = {}
Chain.__index = Chain

local follow = {}

function Chain:value(node, t, side) return signal.at(self.signals[node], t, side) end

function Chain:visit(node, t, side)
  if self:value(node, t, side) == self:value(node, t, 0) then side = 0 end
  self.links[#self.links + 1] = { node = node, t = t, side = side, value = self:value(node, t, side),
    depth = self.depth }
  local go = follow[node.op]
  if not go then return end
  local deeper = node.implied and 0 or 1
  self.depth = self.depth + deeper
  go(self, node, t, side)
  self.depth = self.depth - deeper
end

follow["not"] = function(self, node, t, side) self:visit(node[1], t, side) end

-- The operand that decides; the first if both do.
local function deciding_operand(self, node, t, side)
  local value, left = self:value(node, t, side), self:value(node[1], t, side)
  if node.op == "->" then left = -left end
  local first = left == value or math.abs(left - value) < math.abs(self:value(node[2], t, side) - value)
  return node[first and 1 or 2]
end

-- A chain of one operator is one link.
local function follow_chain(self, node, t, side)
  local operand = node
  repeat operand = deciding_operand(self, operand, t, side) until operand.op ~= node.op
  self:visit(operand, t, side)
end

follow["and"], follow["or"] = follow_chain, follow_chain

follow["->"] = function(self, node, t, side)
  if self:value(node, t, side) < 0 then return self:implication(node, t, side) end
  self:visit(deciding_operand(self, node, t, side), t, side)
end

-- Of an implication that fails: when the first side held, and the best that the second reached then.
function Chain:implication(node, t, side)
  local from, upto = span_of_truth(self.signals[node[1]], t)
  local best_t, _, best = extreme(self.signals[node[2]], from, upto, math.max)
  self.links[#self.links + 1] = { node = node[1], t = t, side = side, value = self:value(node[1], t, side),
    depth = self.depth, held = { from, upto } }
  self:visit(node[2], t, side)
  if best > self:value(node[2], t, side) then
    self.links[#self.links + 1] = { node = node[2], t = best_t, side = 0, value = best, depth = self.depth,
      is_best = true }
  end
end

local function end_of(self, t) return t == huge and self.stop or math.min(t, math.max(self.stop, self.far)) end

local function follow_extreme(pick)
  return function(self, node, t, side)
    local last_side = node.b == huge and 0 or side
    local at, at_side = extreme(self.signals[node[1]], t + node.a, end_of(self, t + node.b), pick, last_side)
    self:visit(node[1], at, at_side)
  end
end

follow.always, follow.eventually = follow_extreme(math.min), follow_extreme(math.max)

-- The time of q at which `p until q` is best; then the operand that limits it.
follow["until"] = function(self, node, t)
  local p, q = self.signals[node[1]], self.signals[node[2]]
  local at, side, best = t + node.a, 0, -huge
  each_limit(q, t + node.a, end_of(self, t + node.b), 0, function(time, s, value)
    local held = huge
    if time > t then
      held = select(3, extreme(p, t, time, math.min))
    end
    if math.min(held, value) > best then at, side, best = time, s, math.min(held, value) end
  end)
  local p_at, p_side, p_low = extreme(p, t, at, math.min)
  if at > t and p_low < signal.at(q, at, side) then return self:visit(node[1], p_at, p_side) end
  self:visit(node[2], at, side)
end

-- Returns a list of { node, t, side, value, depth }; the last one decides. `signals`: of saltus.formula.robustness.
function explanation.chain(root, signals, start, stop, far)
  local self = setmetatable({ signals = signals, stop = stop, far = far, links = {}, depth = 0 }, Chain)
  self:visit(root, start, 0)
  return self.links
end

-- The link of a chain that decides: the last that is no remark.
function explanation.deciding(links)
  for i = #links, 1, -1 do
    if not links[i].is_best then return links[i] end
  end
end

-- ---- text ----

function explanation.amount(value)
  if math.abs(value) == huge then return "" end
  if math.abs(value) < 1e-300 then return " by 0" end
  return numerals.format(" by %.6g", math.abs(value))
end

local function time_text(t) return numerals.format("%.9g s", t) end

local LONGEST = 200 -- bytes of a term in a line

local function line_of(tree, link)
  local words = names.brief(grammar.words(tree, link.node), LONGEST)
  local text = ("%s%s   %s%s%s at t = %s%s"):format(("  "):rep(link.depth + 1), words,
    link.is_best and "at best " or "", link.value < 0 and "fails" or "holds", explanation.amount(link.value),
    time_text(link.t), SIDES[link.side])
  if not link.held or link.held[1] == link.held[2] then return text end
  return ("%s; it holds from %s to %s"):format(text, time_text(link.held[1]), time_text(link.held[2]))
end

-- The lines of a chain; nodes without words of their own are left out.
function explanation.lines(tree, links)
  local out, last = {}, nil
  for _, link in ipairs(links) do
    local line = not link.node.implied and line_of(tree, link)
    if line and line ~= last then out[#out + 1] = line end
    last = line or last
  end
  return out
end

explanation.time_text = time_text

return explanation
