-- 2,000 random formulas over signals that are constant from second to second, against RTAMT 0.4.10: its verdicts are in
-- spec/data/formulas, made by record.py there.
local grammar = require "saltus.formula.grammar"
local robustness = require "saltus.formula.robustness"
local signal = require "saltus.formula.signal"
local twin = require "spec.support.grid_twin"

local SAMPLES = 40

-- As values() of record.py.
local function values(k)
  local state, signals = k, {}
  for _, name in ipairs { "a", "b", "c" } do
    signals[name] = {}
    for i = 1, SAMPLES do
      state = (state * 1103515245 + 12345) % (1 << 31)
      signals[name][i] = ((state >> 8) % 6001 - 3000) / 1000
    end
  end
  return signals
end

local function margin(node, list, i)
  local bound = node[2].op == "neg" and -node[2][1].value or node[2].value
  local value = list[node[1].path][math.min(i, SAMPLES)]
  if node.op == ">=" then return value - bound end
  return bound - value
end

local function trace_of(list)
  return function(node)
    local s = signal.start(0, margin(node, list, 1))
    for i = 1, SAMPLES do
      local value = margin(node, list, i)
      signal.add(s, i, value, value, margin(node, list, i + 1))
    end
    return s
  end
end

local function ours(root, trace)
  local signals = robustness.of(root, { trace = trace, stop = SAMPLES, far = SAMPLES })
  return signal.at(signals[root], 0)
end

-- RTAMT's monitor with until knows whole seconds only. Ours knows the time between: there, the window of an outer
-- operator may meet an until that is worse than at both whole seconds. By number of the formula:
local BETWEEN = { [497] = true, [577] = true }

describe("robustness", function()
  it("is that of RTAMT for 2,000 random formulas, to 1e-9", function()
    local count = 0
    for line in io.lines "spec/data/formulas/rtamt.txt" do
      count = count + 1
      local text, theirs = line:match "^(.*)\t(.*)$"
      local root, trace = grammar.parse(text).root, trace_of(values(count))
      local got = ours(root, trace)
      local expected = BETWEEN[count] and twin.of(root, trace, SAMPLES)[0] or tonumber(theirs)
      if math.abs(got - expected) > 1e-9 then
        error(("formula %d, %s: %.17g, expected %.17g"):format(count, text, got, expected))
      end
    end
    assert.equal(2000, count)
  end)

  it("is worse than on whole seconds where the time between counts", function()
    local count = 0
    for line in io.lines "spec/data/formulas/rtamt.txt" do
      count = count + 1
      local text, theirs = line:match "^(.*)\t(.*)$"
      if BETWEEN[count] then
        assert.is_truthy(text:find "until.*until")
        assert.is_true(ours(grammar.parse(text).root, trace_of(values(count))) < tonumber(theirs))
      end
    end
  end)
end)
