-- A formula that is followed in the log of a run that goes on, without watches: the run makes the same steps. It is
-- looked at again when the log has as many new rows as the last look read, so all looks together read each row a few
-- times. What always must hold is read from the first time on that is not settled yet.
local explanation = require "saltus.formula.explanation"
local log_columns = require "saltus.output.log_columns"
local robustness = require "saltus.formula.robustness"
local signal = require "saltus.formula.signal"
local traces = require "saltus.formula.traces"

local follower = {}

local huge = math.huge
local FEWEST = 64 -- new rows before another look
local PIECES = 2 -- of a step
local MOST_ENDS = 64

local Follower = {}
Follower.__index = Follower

-- The signal of what is followed, from the row self.first up to the row `last`; `beyond`: what the unknown is.
function Follower:signal(last, wanted, beyond)
  local read = traces.new(self.tree, self.found, self.log, wanted, PIECES, self.first, last)
  local stop = self.inner.time[last]
  local far = stop + self.horizon
  return robustness.of(self.node, { stop = stop, far = far, beyond = beyond, goes_on = true,
    trace = function(node, unknown)
      local s = read:of(node)
      local after = node.op == "path" and -huge or s.p[s.n + 1] -- an event does not continue
      return signal.extended(s, far, beyond and unknown or after)
    end })[self.node]
end

-- The first time from `from` on at which it fails, whatever follows; nil if none is known.
function Follower:failure(from, last, wanted)
  local s = self:signal(last, wanted, "best")
  if self.always then return explanation.first_failure(s, from, self.inner.time[last]) end
  return signal.at(s, from) < 0 and from or nil
end

-- Times before the first one that may still fail are settled.
function Follower:settle(last)
  local stop = self.inner.time[last]
  local s = self:signal(last, {}, "worst")
  if not self.always then
    self.is_decided = signal.at(s, self.from) >= 0
    return
  end
  self.from = explanation.first_failure(s, self.from, stop) or stop
  while self.first < last and self.inner.time[self.first + 1] < self.from do self.first = self.first + 1 end
end

-- The last row of which all is known: an event may still change the last one.
local function last_whole(time)
  local row = #time
  local now = time[row]
  while row > 0 and time[row] == now do row = row - 1 end
  return row
end

-- Looks at what the log has now. Returns the time at which the formula fails, once; for one that does not have `always`
-- at its top, a time at which that is known.
function Follower:look()
  local rows = #self.inner.time
  if self.is_decided or rows < self.next_look then return nil end
  self.from = self.from or self.inner.time[1]
  local last = last_whole(self.inner.time)
  if last <= self.first then return nil end
  local failed = self:failure(self.from, last, {})
  -- Between the points at which signals are read they are straight: what decides is read exactly.
  failed = failed and self:failure(self.from, last, robustness.ends(self.node, failed, MOST_ENDS))
  if failed then
    self.is_decided = true
    return self.always and failed or math.min(self.inner.time[last], robustness.needs(self.node, failed, huge))
  end
  self:settle(last)
  self.next_look = rows + math.max(FEWEST, last - self.first)
end

-- `log`: one that formula.check can read; `found`: the meaning of the tree's names.
function follower.new(tree, found, log)
  local root, inner = tree.root, log_columns.inner_of(log)
  local always = root.op == "always" and root.a == 0 and root.b == huge
  local node = always and root[1] or root
  return setmetatable({ tree = tree, found = found, log = log, inner = inner, node = node, always = always, first = 1,
    horizon = robustness.needs(node, 0, 0) + 1, next_look = FEWEST }, Follower)
end

return follower
