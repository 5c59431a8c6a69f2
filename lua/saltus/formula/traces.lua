-- The comparisons of a formula as signals, from a log. Between the rows of its steps a log has the interpolant of each
-- step; rows of a period have nothing between them, so they are refused.
local bisection = require "saltus.util.bisection"
local codegen = require "saltus.formula.codegen"
local grammar = require "saltus.formula.grammar"
local log_columns = require "saltus.output.log_columns"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local sampling = require "saltus.formula.sampling"
local signal = require "saltus.formula.signal"

local traces = {}

local huge = math.huge
local FEWEST, MOST, ALL = 2, 8, 6000 -- pieces of a step, and of the whole log if they allow it

local Traces = {}
Traces.__index = Traces

-- ---- columns ----

local function raise_unlogged(self, node, path)
  grammar.fail(self.tree, node, "%q is not in the log; add it to the log's names, or check the scenario itself, "
    .. "which logs what the formula needs", path)
end

-- A function(row, share) that reads a path: a column of the log, the time, or a parameter that does not change.
function Traces:reader(node, meaning)
  if meaning.time then
    local time = self.inner.time
    return function(row, share)
      return share == 0 and time[row] or time[row] + share * (time[row + 1] - time[row])
    end
  end
  local column = log_columns.find(self.inner, meaning.path)
  if column then
    if column.held then
      local values = column.values
      return function(row) return values[row] end
    end
    local source = column.source
    return function(row, share)
      if share == 0 then return source[row] end
      return source(row, share)
    end
  end
  if not (meaning.entry and meaning.entry.partition == "param") then raise_unlogged(self, node, meaning.path) end
  local value = self.inner.sim.context[meaning.path]
  return function() return value end
end

-- Returns function(row, share) for a node, and whether its value flows between rows. what: "margin" of a condition, or
-- "number".
function Traces:compiled(node, what)
  local readers, flows = {}, false
  local chunk = codegen.new(self.found, function(path, meaning)
    local reader = self:reader(path, meaning)
    readers[#readers + 1] = reader
    flows = flows or not meaning.held
    return ("r[%d](row, share)"):format(#readers)
  end, huge)
  local fn, before = chunk:closure("r, row, share", chunk[what](chunk, node)), self.before
  return function(row, share) return fn(readers, before + row, share) end, flows
end

-- The same for the margin of a comparison or a call, which must be a number.
function Traces:margin(node)
  local margin, flows = self:compiled(node, "margin")
  return function(row, share)
    local value = margin(row, share)
    if value ~= value or type(value) ~= "number" then
      grammar.fail(self.tree, node, "%q is %s at t = %s; it must be a number",
        names.brief(grammar.words(self.tree, node)), names.show(value), numerals.shortest(self.time[row]))
    end
    return value
  end, flows
end

-- ---- rows ----

local function raise_rows(self, node)
  local spec = self.inner.spec
  local what = self.inner.every == huge and "at = \"demand\"" or spec.every and "every = "
    .. numerals.shortest(spec.every) or "most_rows"
  grammar.fail(self.tree, node, "the log has rows of %s only, and nothing is known between them; log each step: leave "
    .. "out `%s`, or check the scenario itself", what, what:match "^[%w_]+")
end

-- Raises an error if something between two rows that differ in time is not known.
function Traces:check_rows(node)
  local inner = self.inner
  if inner.every then raise_rows(self, node) end
  for k = 1, self.rows - 1 do
    local a, b, row = self.time[k], self.time[k + 1], self.before + k
    if b > a and inner.rec.marks[row + 1] == log_columns.GAP then
      grammar.fail(self.tree, node, "the log was stopped from %s to %s s", numerals.shortest(a), numerals.shortest(b))
    end
    if b > a and inner.spec.most_rows and not inner.rec.is_curve(row) then raise_rows(self, node) end
  end
end

-- The last row that curves or lines join to `first`.
function Traces:end_of_chunk(first)
  local time, row = self.time, first
  while row < self.rows and time[row + 1] > time[row] do row = row + 1 end
  return row
end

-- The positions of wanted times from row `first` to row `last`.
function Traces:positions(first, last)
  local out = {}
  for _, t in ipairs(self.wanted) do
    if t > self.time[first] and t < self.time[last] then
      local row = bisection.count_to(self.time, t)
      out[#out + 1] = row + (t - self.time[row]) / (self.time[row + 1] - self.time[row])
    end
  end
  return out
end

function Traces:time_at(position)
  local row = math.tointeger(position // 1)
  local share = position - row
  if share == 0 then return self.time[row] end
  return self.time[row] + share * (self.time[row + 1] - self.time[row])
end

-- Adds a chunk in which the comparison flows. What was read of it before is read again at new wanted times only.
function Traces:add_curve(s, known, first, last)
  local margin = known.margin
  local function f(position)
    local row = math.tointeger(position // 1)
    return margin(row, position - row)
  end
  local knots = known[first] or sampling.curve(f, first, last, self.pieces)
  knots = sampling.refined(f, knots, self:positions(first, last))
  known[first] = knots
  for k = 2, #knots.position do
    signal.add(s, self:time_at(knots.position[k]), knots.value[k - 1], knots.value[k], knots.value[k])
  end
end

-- Adds a chunk in which it is constant from row to row.
function Traces:add_held(s, margin, first, last)
  for row = first, last - 1 do
    local value = margin(row, 0)
    signal.add(s, self.time[row + 1], value, value, margin(row + 1, 0))
  end
end

-- The margin of a comparison as a signal.
function Traces:comparison(node)
  local known = self.known[node]
  if not known then
    self:check_rows(node)
    known = {}
    known.margin, known.flows = self:margin(node)
    self.known[node] = known
  end
  local margin = known.margin
  local s, first = signal.start(self.time[1], margin(1, 0)), 1
  while first <= self.rows do
    local last = self:end_of_chunk(first)
    s.p[s.n + 1] = margin(first, 0)
    if known.flows then
      self:add_curve(s, known, first, last)
    else
      self:add_held(s, margin, first, last)
    end
    first = last + 1
  end
  return s
end

-- True at the instants of an event, false elsewhere.
function Traces:event(name)
  local start, stop = self.time[1], self.time[self.rows]
  local s, events = signal.start(start, -huge), self.inner.events
  local first = #events + 1
  while first > 1 and events[first - 1].time >= start do first = first - 1 end
  for i = first, #events do
    local fired = events[i]
    if fired.name == name and fired.time <= stop then
      signal.add(s, fired.time, -huge, -huge, huge)
    end
  end
  if s.t[s.n + 1] < stop then signal.add(s, stop, -huge, -huge, -huge) end
  return s
end

-- The row of a time and the share of the way to the next one; `side` -1: before the jump there.
function Traces:place(t, side)
  local time = self.time
  local row = math.max(1, bisection.count_to(time, t))
  while side == -1 and row > 1 and time[row - 1] == t do row = row - 1 end
  return row, row < self.rows and t > time[row] and (t - time[row]) / (time[row + 1] - time[row]) or 0
end

-- The value of a path at t.
function Traces:value(node, t, side)
  local row, share = self:place(t, side)
  return self:reader(node, self.found[node])(self.before + row, share)
end

-- A side of a comparison of numbers as a curve: { name = its words, path =, value = function(t, side) }.
function Traces:curve(node)
  local number = self:compiled(node, "number")
  return { name = grammar.words(self.tree, node), path = node.path,
    value = function(t, side) return number(self:place(t, side)) end }
end

function Traces:of(node)
  local meaning = self.found[node]
  if meaning and meaning.event then return self:event(meaning.event) end
  return self:comparison(node)
end

-- `wanted`: ascending times at which signals are read exactly; `pieces`: of each step, by default 2 to 8; `first` and
-- `last`: the rows of the log that count, by default all. Rows of the traces are counted from `first`.
function traces.new(tree, found, log, wanted, pieces, first, last)
  local inner = log_columns.inner_of(log)
  local before = (first or 1) - 1
  local rows = (last or #inner.time) - before
  if rows == 0 then names.fail("%q: the log has no rows yet", names.brief(tree.text)) end
  local time = {}
  for row = 1, rows do time[row] = inner.time[before + row] end
  return setmetatable({ tree = tree, found = found, inner = inner, before = before, rows = rows, time = time,
    wanted = wanted, known = {}, pieces = pieces or math.max(FEWEST, math.min(MOST, ALL // rows)) }, Traces)
end

return traces
