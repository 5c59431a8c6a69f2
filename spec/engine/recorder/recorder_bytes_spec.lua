-- Mirrors src/engine/recorder/saved_rows.c: a record as bytes, loaded into the recorder of another simulator.
local saltus = require "saltus"
local cases = require "spec.support.cases"
local log_columns = require "saltus.output.log_columns"
local random = require "spec.support.random"

local swing = saltus.system { name = "swing", q = { { "x", 1 } }, v = { "u" }, discrete = { "n" },
  derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -9 * ctx.x end,
  events = { { name = "count", every = 0.3, discrete_update = function(ctx, next) next.n = ctx.n + 1 end },
    { name = "passes", witness = function(ctx) return ctx.x end, publish = function() end } } }

local function record_of(log) return log_columns.inner_of(log).rec.rec end

local function run_to(t, spec)
  local sim = saltus.simulator(swing)
  local log = saltus.log(sim, spec)
  sim:advance_to(t)
  return sim, log
end

-- All that a log shows.
local function seen(log, options)
  local events = {}
  for i, e in ipairs(log.events) do events[i] = ("%s %.17g"):format(e.name, e.time) end
  return table.concat(events, "\n") .. log:plot(nil, options) .. tostring(log.x) .. #log.time
end

local specs = { { "x", "n" }, { "x", "n", every = 0.1 }, { "x", most_rows = 16 },
  { "x", twice = function(ctx) return 2 * ctx.x end } }

describe("the bytes of a record", function()
  it("continue it in another simulator, with its curves, jumps and events", function()
    for _, spec in ipairs(specs) do
      local sim, log = run_to(2, spec)
      local saved, rows = sim:save(), record_of(log):save()
      local other = saltus.simulator(swing)
      local twin = saltus.log(other, spec)
      other:load(saved)
      assert.is_true(record_of(twin):load(rows))
      assert.equal(seen(log), seen(twin))
      assert.equal(rows, record_of(twin):save())
      sim:advance_to(4)
      other:advance_to(4)
      assert.equal(seen(log), seen(twin))
      assert.same(log:at(1.2345), twin:at(1.2345))
    end
  end)

  it("are refused by a recorder of other columns or another interval", function()
    local _, log = run_to(1, specs[1])
    local rows = record_of(log):save()
    for _, spec in ipairs { { "x" }, { "x", "u" }, { "x", "n", every = 0.1 } } do
      local _, other = run_to(0.5, spec)
      local before = seen(other)
      assert.is_false(record_of(other):load(rows))
      assert.equal(before, seen(other))
    end
  end)

  it("are refused when they are damaged", function()
    local chance = random.new(7)
    for _, spec in ipairs(specs) do
      local sim, log = run_to(1, spec)
      local rows, before = record_of(log):save(), seen(log)
      for cut = 0, #rows - 1, math.max(1, #rows // 100) do
        assert.is_false(record_of(log):load(rows:sub(1, cut)))
      end
      for i = 1, math.min(#rows, cases(400)) do
        local byte = string.char(rows:byte(i) ~ chance:integer(1, 255))
        assert.is_false(record_of(log):load(rows:sub(1, i - 1) .. byte .. rows:sub(i + 1)))
      end
      assert.equal(before, seen(log))
      assert.is_true(record_of(log):load(rows))
      sim:advance_to(2)
    end
  end)
end)
