-- Sums, products, tables, routes: what is computed from inputs alone.
local bench = require "spec.support.bench"
local random = require "spec.support.random"
local blocks = require("saltus").blocks
local fed, fails = bench.fed, bench.fails

describe("arithmetic", function()
  local function constants(...)
    local out = {}
    for i, value in ipairs { ... } do
      out[select("#", ...) == 1 and "input" or "input" .. i] = blocks.constant { value = value }
    end
    return out
  end
  local function output(block, ...)
    local _, context = fed(block, constants(...))
    return context.output
  end

  it("is by element, by matrix, by sign and by factor", function()
    assert.same({ 2, 6 }, output(blocks.gain { gain = { 1, 2 } }, { 2, 3 }))
    assert.same({ 8, 3, 5 }, output(blocks.gain { gain = { { 1, 2 }, { 0, 1 }, { 1, 1 } } }, { 2, 3 }))
    assert.same({ 1, 3 }, output(blocks.sum { signs = "+-+", size = 2 }, { 1, 5 }, { 2, 3 }, { 2, 1 }))
    assert.equal(-5, output(blocks.sum { signs = "--" }, 2, 3))
    assert.equal(3, output(blocks.product { factors = "*/*" }, 2, 4, 6))
    assert.same({ 3, 8 }, output(blocks.product { size = 2 }, { 1, 2 }, { 3, 4 }))
    assert.equal(9, output(blocks.map { f = function(u) return u * u end }, 3))
    assert.equal(11, output(blocks.map { f = function(a, b, c) return a * b + c end, inputs = 3 }, 2, 4, 3))
  end)

  it("routes signals", function()
    assert.same({ 1, 2, 3 }, output(blocks.mux { sizes = { 1, 2 } }, 1, { 2, 3 }))
    assert.same({ 6, 4, 6 }, output(blocks.selector { elements = { 3, 1, 3 }, size = 3 }, { 4, 5, 6 }))
    assert.same({ 4, 5 }, output(blocks.pass_through { size = 2 }, { 4, 5 }))
    local _, context = fed(blocks.demux { sizes = { 2, 1 } }, constants { 4, 5, 6 })
    assert.same({ 4, 5 }, context.output1)
    assert.equal(6, context.output2)
    fails("whole numbers from 1 to size", blocks.selector, { elements = { 4 }, size = 3 })
  end)

  it("tables are linear between points, held or extrapolated outside", function()
    local points, values = { -1, 0, 2 }, { 3, 1, 2 }
    local hold = blocks.lookup_table { points = points, values = values }
    local on = blocks.lookup_table { points = points, values = values, outside = "extrapolate" }
    for _, case in ipairs { { -1, 3, 3 }, { -0.5, 2, 2 }, { 0, 1, 1 }, { 1, 1.5, 1.5 }, { 4, 2, 3 }, { -2, 3, 5 } } do
      assert.near(case[2], output(hold, case[1]), 1e-15)
      assert.near(case[3], output(on, case[1]), 1e-15)
    end
  end)

  it("two-dimensional tables are exact for bilinear functions", function()
    local function f(x, y) return 1 + 2 * x - 3 * y + 0.5 * x * y end
    local rows, columns, values = { -1, 0.5, 2, 3 }, { 0, 1, 4 }, {}
    for i, x in ipairs(rows) do
      values[i] = {}
      for k, y in ipairs(columns) do values[i][k] = f(x, y) end
    end
    local table_of_f = blocks.lookup_table_2d { rows = rows, columns = columns, values = values }
    local rng = random.new(11)
    for _ = 1, 50 do
      local x, y = -1 + 4 * rng:real(), 4 * rng:real()
      assert.near(f(x, y), output(table_of_f, x, y), 1e-12)
    end
    assert.near(f(3, 4), output(table_of_f, 9, 9), 1e-12)
  end)
end)
