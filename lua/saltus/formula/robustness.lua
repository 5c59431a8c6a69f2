-- The robustness of a formula over signals: by how much it holds from each time on. It holds where that is at least 0.
--
-- Signals end with the run. An interval that is bounded may reach beyond: there, `beyond` says what stands for the
-- unknown: nil continues the last values, "worst" and "best" bound what any longer run could give. An operator without
-- a bound speaks of the time up to the end of the run.
local meaning = require "saltus.formula.meaning"
local signal = require "saltus.formula.signal"
local windows = require "saltus.formula.windows"

local robustness = {}

local huge, min, max = math.huge, math.min, math.max

-- ---- what a formula needs ----

-- The last time that a node needs if it is evaluated up to the time `upto`, in a run that ends at `stop`.
function robustness.needs(node, upto, stop)
  if meaning.is_comparison[node.op] then return upto end
  local from, most = upto, upto
  if node.b then from = node.b == huge and max(upto + node.a, stop) or upto + node.b end
  for _, child in ipairs(node) do most = max(most, robustness.needs(child, from, stop)) end
  return most
end

-- The shortest times after which a node can be known to fail, and to hold.
function robustness.delays(node)
  local op = node.op
  if not (node.a or node[1]) or meaning.is_comparison[op] or op == "rise" or op == "fall" then return 0, 0 end
  local fails, holds = robustness.delays(node[1])
  if op == "not" then return holds, fails end
  if op == "always" then return node.a + fails, node.b + holds end
  if op == "eventually" then return node.b + fails, node.a + holds end
  if op == "call" then return 0, 0 end
  local fails2, holds2 = robustness.delays(node[2])
  if op == "and" then return min(fails, fails2), max(holds, holds2) end
  if op == "or" then return max(fails, fails2), min(holds, holds2) end
  if op == "->" then return max(holds, fails2), min(fails, holds2) end
  return 0, node.a + holds2 -- until
end

-- The sums of the ends of intervals: times after `from` at which values of signals decide. At most `most` of them.
function robustness.ends(root, from, most)
  local seen, seen_at, list = {}, {}, {}
  local function visit(node, t)
    seen_at[node] = seen_at[node] or {}
    if #list >= most or seen_at[node][t] then return end
    seen_at[node][t] = true
    if not seen[t] then
      seen[t] = true
      list[#list + 1] = t
    end
    for _, child in ipairs(node) do
      if not meaning.is_comparison[node.op] then
        visit(child, t)
        if node.a and node.a > 0 then visit(child, t + node.a) end
        if node.b and node.b < huge then visit(child, t + node.b) end
      end
    end
  end
  visit(root, from)
  table.sort(list)
  return list
end

-- ---- operators ----

local Evaluation = {}
Evaluation.__index = Evaluation

-- What stands for the unknown after the end; `positive`: whether more of this makes the formula hold more.
function Evaluation:unknown(positive, last)
  if not self.beyond then return last end
  return (self.beyond == "best") == positive and huge or -huge
end

function Evaluation:atom(node, positive)
  local s = self.trace(node, self.goes_on and self:unknown(positive))
  if self.goes_on then return s end
  if self.far <= self.stop then return s end
  local last = node.op == "path" and -huge or s.p[s.n + 1] -- an event does not continue
  return signal.extended(s, self.far, self:unknown(positive, last))
end

-- A signal of the known time only, continued. While the run goes on, what is unknown counts.
function Evaluation:known(positive, x, fn, y)
  if self.goes_on or self.far <= self.stop then return fn(x, y) end
  local s = fn(signal.cut(x, self.stop), y and signal.cut(y, self.stop))
  return signal.extended(s, self.far, self:unknown(positive, s.p[s.n + 1]))
end

function Evaluation:slide(positive, x, a, b, pick)
  if b < huge then return windows.slide(x, a, b, pick) end
  local onward = self:known(positive, x, function(s) return signal.onward(s, pick) end)
  return signal.shift(onward, a)
end

local function truth(is_true) return is_true and huge or -huge end

-- The time before b at which a straight line begins or ceases to hold, or nil.
local function crossing(a, b, l, r)
  local t = (l >= 0) ~= (r >= 0) and a + (b - a) * (l / (l - r))
  return t and t < b and t or nil
end

-- Adds a piece to the instants at which x holds, and y does not just before.
local function add_rises(out, b, xl, xr, yl, yr, xp, yp)
  local a = out.t[out.n + 1]
  if xl >= 0 and out.before < 0 then out.p[out.n + 1] = huge end
  local x_holds, y_holds = xl >= 0, yl >= 0
  local c, d = crossing(a, b, xl, xr), crossing(a, b, yl, yr)
  while c or d do
    local t = min(c or huge, d or huge)
    local inside, held = truth(x_holds and not y_holds), y_holds
    if t == c then c, x_holds = nil, not x_holds end
    if t == d then d, y_holds = nil, not y_holds end
    signal.add(out, t, inside, inside, truth(x_holds and not held))
  end
  local inside = truth(x_holds and not y_holds)
  signal.add(out, b, inside, inside, truth(xp >= 0 and not y_holds))
  out.before = yp
end

-- True at the instants at which a signal begins to hold, of which only bounds are known: x is that on the side of what
-- is wanted, y the other one.
local function rises(x, y)
  local out = signal.start(x.t[1], -huge)
  out.before = y.p[1]
  signal.each_piece(x, y, add_rises, out)
  return out
end

local operators = {}

operators["not"] = function(self, node, positive) return signal.opposite(self:of(node[1], not positive)) end

operators["and"] = function(self, node, positive)
  return signal.pick(self:of(node[1], positive), self:of(node[2], positive), min)
end

operators["or"] = function(self, node, positive)
  return signal.pick(self:of(node[1], positive), self:of(node[2], positive), max)
end

operators["->"] = function(self, node, positive)
  return signal.pick(signal.opposite(self:of(node[1], not positive)), self:of(node[2], positive), max)
end

function operators.always(self, node, positive)
  return self:slide(positive, self:of(node[1], positive), node.a, node.b, min)
end

function operators.eventually(self, node, positive)
  return self:slide(positive, self:of(node[1], positive), node.a, node.b, max)
end

operators["until"] = function(self, node, positive)
  local p, q = self:of(node[1], positive), self:of(node[2], positive)
  return windows.until_within(p, q, node.a, node.b, function(x, y)
    if node.b < huge then return windows.until_(x, y) end
    return self:known(positive, x, windows.until_, y)
  end)
end

-- The instants at which a node begins to hold, or with turned = signal.opposite to fail. Where it is unknown, it may
-- have failed just before and hold now.
function Evaluation:rises(node, positive, turned)
  local wanted = positive == (turned == nil)
  local before = self.beyond and self:of(node, not wanted)
  local now = self:of(node, wanted)
  before = before or now
  if turned then now, before = turned(now), turned(before) end
  return self:known(positive, now, rises, before)
end

function operators.rise(self, node, positive) return self:rises(node[1], positive) end
function operators.fall(self, node, positive) return self:rises(node[1], positive, signal.opposite) end

function Evaluation:of(node, positive)
  local operator = not (self.atoms and self.atoms[node]) and operators[node.op]
  local s
  if operator then s = operator(self, node, positive) else s = self:atom(node, positive) end
  self.signals[node] = s
  return s
end

-- Returns the robustness of each node as a signal. `of`: trace = function(node) that returns the signal of a comparison
-- or an event, stop = the end of the run, far = the time that the formula needs, beyond = nil, "worst" or "best";
-- goes_on = true: stop is not the end, so nothing is known of any later time, and trace(node, unknown) continues a
-- signal to far with the value `unknown`, nil for its last one; atoms: nodes that count as comparisons.
function robustness.of(root, of)
  local self = setmetatable({ trace = of.trace, stop = of.stop, far = of.far, beyond = of.beyond, goes_on = of.goes_on,
    atoms = of.atoms, signals = {} }, Evaluation)
  self:of(root, true)
  return self.signals
end

return robustness
