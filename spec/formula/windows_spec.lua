-- Operators of time against their definitions on a grid (spec.support.grid_twin). The signals have slopes of -1, 0 and
-- 1, whole numbers at whole seconds, jumps there, and values of their own at points, so that the grid is exact.
local random = require "spec.support.random"
local cases = require "spec.support.cases"
local grammar = require "saltus.formula.grammar"
local robustness = require "saltus.formula.robustness"
local signal = require "saltus.formula.signal"
local twin = require "spec.support.grid_twin"
local windows = require "saltus.formula.windows"

local LENGTH, G = 8, twin.GRID

local function made(draw)
  local value = draw:integer(-4, 4)
  local s = signal.start(0, value)
  for t = 1, LENGTH do
    local l = draw:chance(0.4) and draw:integer(-4, 4) or value
    value = l + draw:integer(-1, 1)
    signal.add(s, t, l, value, draw:chance(0.2) and draw:integer(-4, 4) or value)
  end
  return s
end

local function assert_same(v, s, upto, text)
  for i = 0, 3 * upto * G do
    local k = (i + 1) // 3
    local got = signal.at(s, k / G, i - 3 * k)
    if math.abs(got - v[i]) > 1e-12 then
      error(("%s at %g, side %d: %g, on the grid %g"):format(text or "", k / G, i - 3 * k, got, v[i]))
    end
  end
end

describe("a sliding window", function()
  it("finds both sides of jumps and values at points, as its definition", function()
    local draw = random.new(1)
    for _ = 1, cases(60) do
      local x = made(draw)
      local v, a = twin.sample(x, LENGTH), draw:integer(0, 2)
      local b = a + draw:integer(0, 3)
      for _, pick in ipairs { math.min, math.max } do
        assert_same(twin.slide(v, a, b, pick), windows.slide(x, a, b, pick), LENGTH - b)
        assert_same(twin.slide(v, a, math.huge, pick), windows.slide(x, a, math.huge, pick), LENGTH - a)
      end
    end
  end)

  it("moves the ends of a signal of truth as it slides the same signal with margins", function()
    local draw = random.new(2)
    local function sign(value) return value > 0 and 1 or -1 end
    local function infinite(value) return value > 0 and math.huge or -math.huge end
    for _ = 1, cases(2000) do
      local x = signal.start(draw:integer(0, 2), draw:chance(0.5) and math.huge or -math.huge)
      for _ = 1, draw:integer(0, 7) do
        local value = draw:chance(0.5) and math.huge or -math.huge
        signal.add(x, x.t[x.n + 1] + draw:integer(1, 4), value, value, draw:chance(0.3) and -value or value)
      end
      local a, pick = draw:integer(0, 4), draw:chance(0.5) and math.min or math.max
      local b = a + draw:integer(1, 5)
      local got = windows.slide(x, a, b, pick)
      local wanted = signal.map(windows.slide(signal.map(x, sign), a, b, pick), infinite)
      local from, upto = x.t[1], x.t[x.n + 1]
      assert.same({ from, upto }, { got.t[1], got.t[got.n + 1] })
      for i = 6 * from, 6 * upto do
        local k = (i + 1) // 3
        local side = i - 3 * k
        if k / 2 > from or side > -1 then assert.equal(signal.at(wanted, k / 2, side), signal.at(got, k / 2, side)) end
      end
    end
  end)
end)

describe("until", function()
  it("is its definition", function()
    local draw = random.new(2)
    for _ = 1, cases(60) do
      local x, y, a = made(draw), made(draw), draw:integer(0, 2)
      local p, q, b = twin.sample(x, LENGTH), twin.sample(y, LENGTH), a + draw:integer(0, 2)
      assert_same(twin.until_(p, q, a, b), windows.until_within(x, y, a, b, windows.until_), LENGTH - b)
      assert_same(twin.until_(p, q, 0, math.huge), windows.until_(x, y), LENGTH)
    end
  end)

  it("lets the second come true at the jump that ends the first", function()
    local p, q = signal.start(0, 1), signal.start(0, -1)
    signal.add(p, 2, 1, 1, -3)
    signal.add(p, 4, -3, -3, -3)
    signal.add(q, 2, -1, -1, 5)
    signal.add(q, 4, 5, 5, 5)
    assert.equal(1, signal.at(windows.until_(p, q), 0))
    assert.equal(1, signal.at(windows.until_within(p, q, 1, 3, windows.until_), 0))
    assert.equal(-1, signal.at(windows.until_within(p, q, 0, 1, windows.until_), 0))
  end)
end)

describe("a random formula over straight pieces", function()
  local function words(draw, depth)
    if depth == 0 then
      return ("%s %s %d"):format(draw:pick { "a", "b", "c" }, draw:pick { ">=", "<=" }, draw:integer(-2, 2))
    end
    local op = draw:pick { "not", "and", "or", "->", "always", "eventually", "until" }
    local inner = ("(%s)"):format(words(draw, depth - 1))
    if op == "not" then return "not " .. inner end
    local from = draw:integer(0, 1)
    local span = ("[%d,%d]"):format(from, from + draw:integer(0, 1))
    if op == "always" or op == "eventually" then return op .. span .. inner end
    return ("%s %s%s (%s)"):format(inner, op, op == "until" and span or "", words(draw, depth - 1))
  end

  local function trace_of(signals)
    return function(node)
      local bound = node[2].op == "neg" and -node[2][1].value or node[2].value
      local sign = node.op == ">=" and 1 or -1
      return signal.map(signals[node[1].path], function(v) return sign * (v - bound) end)
    end
  end

  it("has the robustness of the twin", function()
    local draw = random.new(3)
    for _ = 1, cases(60) do
      local text = words(draw, draw:integer(1, 3))
      local root = grammar.parse(text).root
      local trace = trace_of { a = made(draw), b = made(draw), c = made(draw) }
      local signals = robustness.of(root, { trace = trace, stop = LENGTH, far = LENGTH })
      local upto = LENGTH - robustness.needs(root, 0, LENGTH)
      assert_same(twin.of(root, trace, LENGTH), signals[root], upto, text)
    end
  end)
end)
