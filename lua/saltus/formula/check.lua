-- Whether a formula holds over a log: by how much, where it is worst, and why.
local emits = require "saltus.story.emits"
local explanation = require "saltus.formula.explanation"
local grammar = require "saltus.formula.grammar"
local log_columns = require "saltus.output.log_columns"
local meaning = require "saltus.formula.meaning"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local robustness = require "saltus.formula.robustness"
local signal = require "saltus.formula.signal"
local traces = require "saltus.formula.traces"

local check = {}

local MOST_ENDS = 64 -- times at the ends of intervals that are read exactly
local MOST_ROUNDS, SETTLED = 6, 1e-12 -- how often signals are read again, and the change of the margin that ends it
local LEAST = 1e-300 -- a margin below it is 0: a strict comparison of equal numbers
local ROUNDING = 1e-12 -- of a time: an end that the run misses by so little is reached

local option_names = { "functions", "tolerance", "pieces" }

-- ---- what is checked ----

-- The paths of values that a formula reads.
function check.paths(tree, found)
  local list, seen = {}, {}
  grammar.visit(tree.root, function(node)
    local m = found[node]
    if m and m.entry and not seen[m.path] then
      seen[m.path] = true
      list[#list + 1] = m.path
    end
  end)
  return list
end

-- The log of a run, a log, or a scenario, which is run with a log of what the formula needs.
local function log_of(subject, tree, options)
  local kind = names.kind(subject)
  if kind == "log" then return subject end
  if kind == "scenario" then
    local found = meaning.of(tree, subject.model, options.functions, { emits = emits.of_story(subject.story) })
    return subject:run({ log = check.paths(tree, found) }).log
  end
  local is_run = kind == nil and type(subject) == "table" and subject.sim ~= nil
  if is_run and names.kind(subject.log) == "log" then return subject.log end
  names.fail("%q can be checked over a log, the result of scenario:run, or a scenario, got %s", names.brief(tree.text),
    is_run and "a run without a log" or names.show(subject))
end

local function extra_names(inner)
  local extra = {}
  for _, column in ipairs(inner.columns) do
    if not inner.model:resolve(column.name) then extra[column.name] = true end
  end
  return extra
end

-- ---- the verdict ----

local Check = {}
Check.__index = Check

function Check:robustness(beyond)
  local signals = robustness.of(self.tree.root, { stop = self.stop, far = self.far, beyond = beyond,
    trace = function(node) return self:trace(node) end })
  return signal.at(signals[self.tree.root], self.start), signals
end

function Check:trace(node)
  self.atoms[node] = self.atoms[node] or self.traces:of(node)
  return self.atoms[node]
end

local function is_truth(margin, tolerance) return margin >= -tolerance end

-- Times that decide, at which signals were not read yet: those of the links, and the ends of their intervals.
function Check:unread(links)
  local new = false
  local function want(t)
    if self.wanted_at[t] then return end
    self.wanted_at[t], new = true, true
    table.insert(self.wanted, t)
  end
  for _, link in ipairs(links) do
    want(link.t)
    if link.node.a then want(link.t + link.node.a) end
    if link.node.b and link.node.b < math.huge then want(link.t + link.node.b) end
  end
  table.sort(self.wanted)
  return new
end

-- Between the points at which they are read, signals are straight. Reading them where they decide, and again where
-- they then decide, makes the margin as accurate as the run.
function Check:refine()
  for _ = 1, MOST_ROUNDS do
    local margin
    margin, self.signals = self:robustness()
    local settled = self.margin and (margin == self.margin or math.abs(margin - self.margin) <= SETTLED)
    self.margin = margin
    self.links = explanation.chain(self.tree.root, self.signals, self.start, self.stop, self.far)
    if settled or self.is_plain or not self:unread(self.links) then return end
    self.atoms = {}
  end
end

function Check:judge(tolerance)
  self:refine()
  local margin, decided = self.margin, true
  self.complete = true
  if self.far > self.stop then
    local against, with = "worst", "best"
    if not is_truth(margin, tolerance) then against, with = with, against end
    local bound = self:robustness(against) -- what a longer run could do to the verdict
    decided = is_truth(bound, tolerance) == is_truth(margin, tolerance)
    self.complete = bound == margin and self:robustness(with) == margin
  end
  self.decided, self.holds = decided, decided and is_truth(margin, tolerance)
end

-- The first time at which what must always hold fails; otherwise the time that decides.
function Check:first_failure(links)
  local root = self.tree.root
  if root.op ~= "always" then return links[#links].t end
  return explanation.first_failure(self.signals[root[1]], self.start + root.a,
    math.min(self.start + root.b, math.max(self.stop, self.start + root.a)))
end

-- ---- text ----

local function value_text(value)
  return type(value) == "string" and ("'%s'"):format(value) or numerals.format("%.9g", value)
end

-- "there level = 2.4, pump = 'on'"
function Check:values_at(link)
  local parts, seen = {}, {}
  grammar.visit(link.node, function(node)
    local m = self.found[node]
    if m and m.path and not m.time and not seen[m.path] then
      seen[m.path] = true
      local value = self.traces:value(node, link.t, link.side)
      parts[#parts + 1] = { name = m.path, value = value }
    end
  end)
  return parts
end

local function values_line(parts)
  local out = names.map(parts, function(part) return ("%s = %s"):format(part.name, value_text(part.value)) end)
  return out[1] and "  there " .. table.concat(out, ", ")
end

-- The last events up to t.
local function events_line(inner, t)
  local list = {}
  for _, fired in ipairs(inner.events) do
    if fired.time <= t then list[#list + 1] = ("%s at %s"):format(fired.name, explanation.time_text(fired.time)) end
  end
  return list[1] and "  last events: " .. table.concat(list, ", ", math.max(1, #list - 2))
end

function Check:needs_line()
  return ("the run ends at %s, the formula needs %s"):format(explanation.time_text(self.stop),
    explanation.time_text(self.needs))
end

local function margin_text(margin)
  if math.abs(margin) == math.huge then return "decided" end
  return numerals.format("margin %.6g", math.abs(margin) < LEAST and 0 or margin)
end

-- What to do about a margin that is only the error of the run.
function Check:accuracy_line()
  local accuracy = self.traces.inner.sim.options.accuracy
  if self.holds or not self.decided or not accuracy or -self.margin > accuracy then return nil end
  return numerals.format("  that is within the accuracy of the run, %g; give the bound some room, or give a tolerance",
    accuracy)
end

function Check:text(links, link, first)
  local lines = { ("%s: %s"):format(self.holds and "holds" or self.decided and "does not hold" or "not decided",
    self.tree.text) }
  if not self.decided then lines[2] = self:needs_line() end
  lines[#lines + 1] = ("  %s at t = %s%s"):format(margin_text(self.margin), explanation.time_text(link.t),
    first and first < link.t and "; first fails at t = " .. explanation.time_text(first) or "")
  lines[#lines + 1] = self:accuracy_line()
  for _, line in ipairs(explanation.lines(self.tree, links)) do lines[#lines + 1] = "  " .. line end
  lines[#lines + 1] = values_line(self:values_at(link))
  lines[#lines + 1] = events_line(self.traces.inner, link.t)
  return table.concat(lines, "\n")
end

-- ---- what a picture shows ----

-- A comparison as { a curve of each side }, or as { path = } if it compares a mode.
function Check:panel(node)
  for _, side in ipairs { node[1], node[2] } do
    local m = self.found[side]
    if m and m.modes then return { path = m.path } end
  end
  if node[1].op == "mode" or node[2].op == "mode" then return nil end
  return { self.traces:curve(node[1]), self.traces:curve(node[2]) }
end

-- A panel for each comparison, the one that decides first.
function Check:panels(link)
  local out, seen = {}, {}
  local function add(node)
    if not meaning.is_comparison[node.op] then return end
    local words, panel = grammar.words(self.tree, node), self:panel(node)
    local key = panel and panel.path or words
    if panel and not seen[key] then out[#out + 1] = panel end
    seen[key] = true
  end
  grammar.visit(link.node, add)
  grammar.visit(self.tree.root, add)
  return out
end

-- ---- all of it ----

local function check_options(options)
  options = options == nil and {} or options
  names.check(type(options) == "table", options, "formula.check: options must be a table")
  names.check_keys(options, option_names, "option %s of formula.check")
  names.check(options.tolerance == nil or numerals.is_finite(options.tolerance) and options.tolerance >= 0,
    options.tolerance, "formula.check: tolerance must be a number, not negative")
  if options.pieces ~= nil then names.check_whole(options.pieces, 1, "formula.check", "pieces") end
  return options
end

local RESULT = names.closing("the result of a check", { "first", "decided", "time" }, { "holds", "margin", "time",
  "first", "complete", "needs", "ends", "text", "term", "values" })

-- Returns { holds =, margin =, time =, first =, complete =, needs =, text =, term =, values = }: whether the formula
-- holds from the start of the log on, by how much, where that is decided, where it first fails, whether the run was
-- long enough, the time up to which it should have run, the explanation, and the deciding term with its values.
-- panels(): what a picture of it shows.
function check.new(subject, given, options)
  options = check_options(options)
  local tree = grammar.is_tree(given) and given or grammar.parse(given)
  local log = log_of(subject, tree, options)
  local inner = log_columns.inner_of(log)
  local found = meaning.of(tree, inner.model, options.functions, { columns = extra_names(inner),
    emits = emits.of(inner.sim) })
  names.fail_if(#log.time == 0, "%q: the log has no rows yet", tree.text)
  local start, stop = log.time[1], log.time[#log.time]
  local self = setmetatable({ tree = tree, found = found, atoms = {}, start = start, stop = stop }, Check)
  self.needs = robustness.needs(tree.root, start, stop)
  self.far = self.needs - stop > ROUNDING * math.abs(self.needs) and self.needs or stop
  self.is_plain = tree.root[1] and meaning.is_comparison[tree.root[1].op] -- each turning point is read already
  self.wanted, self.wanted_at = robustness.ends(tree.root, start, MOST_ENDS), {}
  self.traces = traces.new(tree, found, log, self.wanted, options.pieces)
  self:judge(options.tolerance or 0)
  local links = self.links
  local link = explanation.deciding(links)
  local first = self.margin < 0 and self:first_failure(links) or nil
  return setmetatable({ holds = self.holds, margin = self.margin, time = link.t, first = first,
    complete = self.complete, needs = self.needs, ends = stop, decided = self.decided,
    text = self:text(links, link, first), term = grammar.words(tree, link.node), values = self:values_at(link),
    log = log,
    panels = function() return self:panels(link) end }, RESULT)
end

return check
