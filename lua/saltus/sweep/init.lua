-- saltus.sweep: one scenario with many values and seeds. Each run depends on its number and the seed of the sweep
-- alone, so a sweep can be cut into shards, shared by processes, and resumed.
--
--   local result = saltus.sweep { scenario = s, params = { gain = { uniform = { 1, 10 } } }, runs = 1000, seed = 7,
--     measure = function(result) return { height = result.context.height } end, csv = "out.csv" }
--   print(result)                        statistics of what was measured
--   result.data.height[3]                of the third run; also result.data.gain, .seed, .status, .error
local card = require "saltus.sweep.card"
local clock = require("saltus.core").process.clock
local columns = require "saltus.sweep.columns"
local design = require "saltus.sweep.design"
local names = require "saltus.util.names"
local options = require "saltus.simulation.options"
local result_file = require "saltus.sweep.result_file"
local rows = require "saltus.sweep.rows"
local runner = require "saltus.sweep.runner"
local scenario = require "saltus.simulation.scenario"
local shard = require "saltus.sweep.shard"

local sweep = {}

-- One table for checks, help and documentation; the simulator's options, except seed, are fields too.
sweep.fields = {
  { name = "scenario", doc = "what saltus.scenario returned; required" },
  { name = "params", doc = "values by path: a list, { from =, to =, step = or count =, scale = \"log\" }, "
    .. "{ uniform = { low, high } }, log_uniform, normal = { mean, sd }, integer; or a list of cases" },
  { name = "runs", doc = "how many random runs, or runs with other seeds at each point of the grid; default: 1" },
  { name = "seed", doc = "a whole number, from which each run gets a seed of its own; default: 0" },
  { name = "sampling", doc = "of random values: \"random\" or \"latin_hypercube\"" },
  { name = "measure", doc = "function(result) that returns a number or { name = value, ... } for the row of a run; or "
    .. "a list of names; default: the scenario's measure, or all states at the end" },
  { name = "set", doc = "{ gravity = 1.62 }: other defaults for all runs" },
  { name = "duration", doc = "replaces the scenario's" },
  { name = "log", doc = "what each run records for result.log; default: false" },
  { name = "csv", doc = "a file with a row for each run, or \"-\" for standard output; shard 2/7 writes "
    .. "NAME.2-of-7.csv" },
  { name = "resume", doc = "true: does not run again what is in the file" },
  { name = "shard", doc = "\"i/n\", i from 0: only these runs; default: from the launcher, see saltus help sweep" },
  { name = "progress", doc = "function(done, count, failures), called some times a second" },
}

-- What saltus.sweep returns; print shows statistics.
sweep.result_fields = {
  { name = "count", doc = "the number of rows" },
  { name = "failures", doc = "how many of them failed" },
  { name = "columns", doc = "the names of the columns in order" },
  { name = "data", doc = "a list of values for each column, as result.data.height[3] of the third row" },
  { name = "page", doc = "result:page \"sweep.html\" writes scatter plots or histograms" },
}

local MANY = 256 -- runs between two looks at the clock, at most
local PAUSE = 0.1 -- s between two calls of progress

-- ---- the plan ----

local Sweep = {}
Sweep.__index = Sweep

local function check(def)
  local what = "saltus.sweep"
  names.check(type(def) == "table" and names.kind(def) ~= "module", def, "%s takes a table", what)
  local known = names.joined(names.of(sweep.fields), names.of(options.simulator))
  names.check_keys(def, known, "field %s", what)
  names.check(scenario.is(def.scenario), def.scenario, "%s: scenario must be what saltus.scenario returned", what)
  names.check_type(def.csv, "string", "%s: csv must be a file name", what)
  names.check_type(def.shard, "string", "%s: shard must be a text like \"0/7\"", what)
  names.check_type(def.progress, "function", "%s: progress must be a function", what)
  names.fail_if(def.resume and (not def.csv or def.csv == "-"), "%s: resume needs csv, the file with the runs so far",
    what)
  return what
end

-- Checks everything, before anything is written. `order`: the names of params in the order of their columns.
function sweep.plan(def, order)
  local what = check(def)
  local self = setmetatable({ def = def, failures = 0, done = 0, count = 0, waiting = {} }, Sweep)
  self.design = design.new({ params = def.params, order = order, runs = def.runs, seed = def.seed,
    sampling = def.sampling }, what)
  for _, name in ipairs(self.design.names) do
    names.fail_if(names.index_of(columns.own, name), "%s: %q is a column of the sweep itself", what, name)
    names.fail_if(def.set and def.set[name] ~= nil, "%s: %q is in set and in params; its values come from params", what,
      name)
  end
  self.shard = shard.of(def.shard)
  local own = options.besides_seed(def)
  local measure = def.measure
  if measure == nil then measure = def.scenario.measure end
  self.row = {}
  self.runner = runner.new(def.scenario, { names = self.design.names, numbers = not self.design.has_words,
    measure = measure, row = self.row, first = #self.design.names + 2,
    changes = names.merged({ target_realtime_rate = 0 }, names.merged(own, { set = def.set, duration = def.duration,
      log = def.log or false })) }, what)
  self.design:each_given(function(i, value)
    self.runner:check_word(i, value, ("%s: %q"):format(what, self.design.names[i]))
  end)
  self.card = card.of { scenario = def.scenario, design = self.design, duration = def.duration, set = def.set,
    options = own, measure = measure }
  self.path = shard.file(self.shard, def.csv)
  self.data = {}
  return self
end

-- The numbers of the runs of this shard: the first, the last at most, and the step.
function Sweep:numbers() return self.shard.index + 1, self.design.count, self.shard.count end

-- How many runs this shard has.
function Sweep:planned() return (self.design.count - self.shard.index - 1) // self.shard.count + 1 end

-- ---- rows ----

local function set_columns(self, measured)
  self.measured = measured
  local list = names.joined({ "run", "seed" }, self.design.names, measured, { "status", "error" })
  self.columns, self.width = list, #list
  self.lists = {}
  for i, name in ipairs(list) do
    self.data[name] = self.data[name] or {}
    self.lists[i] = self.data[name]
  end
  if self.file then self.file:set_columns(list) end
end

-- Stores the values of a row, in the order of the columns, and writes it unless it stands in the file. `line`: its
-- text, if it is known.
local function store(self, values, stands, line)
  local n, lists = self.count + 1, self.lists
  self.count = n
  for i = 1, self.width do lists[i][n] = values[i] end
  local file = not stands and self.file
  if not file then return end
  if line then file:add(line) else file:add_values(values, self.width) end
end

-- While no run has succeeded, the columns are unknown and the failed rows wait.
local function add_failed(self, one)
  if not self.columns then
    self.waiting[#self.waiting + 1] = one
    return
  end
  local width = self.width
  local cells = { one.k, one.seed, table.unpack(one.values) }
  for i = #cells + 1, width - 2 do cells[i] = "" end
  cells[width - 1], cells[width] = "failed", one.message
  store(self, cells, one.stands)
end

local function know_columns(self, measured)
  if self.columns then return end
  set_columns(self, measured)
  local waiting = self.waiting
  self.waiting = {}
  for _, one in ipairs(waiting) do add_failed(self, one) end
end

local function fail_cells(self, cells, message, stands)
  local values = names.map(self.design.names, function(name) return rows.value(cells[name]) end)
  self.failures = self.failures + 1
  add_failed(self, { k = rows.value(cells.run), seed = rows.value(cells.seed), values = values, message = message,
    stands = stands })
end

-- Rows were added before one with a lower number: they are sorted at the end.
function Sweep:set_unordered()
  self.is_unordered = true
  if self.file then self.file.is_unordered = true end
end

-- A row of a file or of another process. header: its columns; cells: texts by name; stands: it is in the file already.
function Sweep:add_cells(header, cells, stands, line)
  self.done = self.done + 1
  if cells.status == "failed" then
    fail_cells(self, cells, rows.text(cells.error), stands)
    return
  end
  local own = #self.design.names + 2
  local measured = table.move(header, own + 1, #header - 2, 1, {})
  know_columns(self, measured)
  local wrong = columns.difference(self.measured, measured)
  if wrong then
    fail_cells(self, cells, wrong, stands)
    return
  end
  local values = names.map(self.columns, function(name) return rows.value(cells[name] or "") end)
  store(self, values, stands, line)
end

-- The row of a run that succeeded; its measured values are there.
local function add_measured(self, k, seed, values, reason)
  local made = self.runner
  if made.columns ~= self.measured and (made.may_differ or not self.columns) then
    know_columns(self, made.columns)
    if made.columns ~= self.measured then set_columns(self, made.columns) end
  end
  local row, width = self.row, self.width
  row[1], row[2] = k, seed
  for i = 1, made.first - 2 do row[2 + i] = values[i] end
  row[width - 1], row[width] = reason, ""
  store(self, row)
end

local function add_failure(self, k, seed, values, message)
  self.failures = self.failures + 1
  add_failed(self, { k = k, seed = seed, values = table.move(values, 1, #self.design.names, 1, {}), message = message })
end

-- ---- runs ----

-- Opens the file and takes the rows that stand in it. Returns the set of their numbers.
function Sweep:open()
  local standing = {}
  if not self.path then return standing end
  local function same(line) card.check(self.card, line, self.path) end
  local file, list = result_file.open(self.path, self.card, self.def.resume, same)
  for _, cells in ipairs(list) do
    standing[cells.number] = true
    self:add_cells(file.header, cells, true)
  end
  self.file, self.resumed = file, #list
  if self.columns then
    file:set_columns(self.columns)
    if not self.runner.columns then self.runner:set_columns(self.measured) end
  end
  return standing
end

-- The numbers of the runs that stand in the file, which another process writes.
function Sweep:standing()
  if not self.def.resume then return {} end
  return result_file.standing(self.path, function(line) card.check(self.card, line, self.path) end)
end

-- Calls of progress: often enough to see slow runs, seldom enough to cost fast ones nothing.
function Sweep:ticker()
  local stride, left, last = 1, 1, clock()
  return function()
    left = left - 1
    if left > 0 then return end
    local now = clock()
    stride = now - last < 0.01 and math.min(2 * stride, MANY) or now - last > PAUSE and math.max(1, stride // 2)
      or stride
    left = stride
    if now - (self.shown_at or 0) < PAUSE then return end
    self.shown_at, last = now, now
    if self.file then self.file:flush() end
    if self.def.progress then self.def.progress(self.done, self:planned(), self.failures) end
  end
end

-- Runs what does not stand in the file, in this process. accept(k): whether run k is this process's.
function Sweep:run(standing, accept)
  local values, tick, plan, made = {}, self:ticker(), self.design, self.runner
  local first, last, step = self:numbers()
  for k = first, last, step do
    if not standing[k] and (not accept or accept(k)) then
      local seed = plan:seed_of(k)
      plan:values(k, values)
      local reason, message = made:run(k, seed, values)
      if reason == "interrupted" then
        self.interrupted = true
        break
      end
      self.done = self.done + 1
      if reason == "failed" then
        add_failure(self, k, seed, values, message)
      else
        add_measured(self, k, seed, values, reason)
      end
      tick()
    end
  end
end

-- The rows of the file came first.
local function put_in_order(self)
  local run, order = self.data.run, {}
  for i = 1, self.count do order[i] = i end
  table.sort(order, function(a, b) return run[a] < run[b] end)
  for _, list in ipairs(self.lists) do
    local values = table.move(list, 1, self.count, 1, {})
    for i = 1, self.count do list[i] = values[order[i]] end
  end
end

-- Writes what waits, closes the file, and puts the rows in the order of the runs.
function Sweep:close()
  if not self.columns then know_columns(self, {}) end
  if self.file then self.file:close() end
  self.file = nil
  if (self.resumed or 0) > 0 or self.is_unordered then put_in_order(self) end
end

function Sweep:__tostring() return require("saltus.sweep.summary").text(self) end

-- Writes a page with scatter plots or histograms of what was measured.
function Sweep:page(path) return require("saltus.sweep.page").write(self, path) end

-- ---- the result ----

local Result = { __name = "saltus.sweep_result" }
Result.__index = Result

function Result.of(plan)
  return setmetatable({ plan = plan, count = plan.count, failures = plan.failures, columns = plan.columns,
    data = names.closed(plan.data, "the data of a sweep"), resumed = plan.resumed or 0 }, Result)
end

function Result:__tostring() return tostring(self.plan) end

function Result:page(path) return self.plan:page(path) end

names.with_colon(Result, Result.__name, { "page" })
names.closed(Result, "the result of a sweep", nil, names.of(sweep.result_fields))

-- saltus.sweep { scenario =, params =, ... }: runs it, and returns the result.
function sweep.new(def)
  local self = sweep.plan(def)
  local standing = self:open()
  local ok, wrong = pcall(self.run, self, standing)
  self:close()
  if not ok then error(wrong, 0) end
  return Result.of(self)
end

return sweep
