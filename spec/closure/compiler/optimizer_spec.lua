-- Programs tidied do what they did: random code, run as it was and as it became, by an interpreter of its own.
local optimizer = require "saltus.closure.compiler.optimizer"
local cases = require "spec.support.cases"

local INPUTS, PLACES, RESULTS = 3, 9, 3 -- places 0, 1, 2 are given; the last three are results

local halves = {
  ADD = function(x, y) return x + y end, SUB = function(x, y) return x - y end,
  MUL = function(x, y) return x * y end, DIV = function(x, y) return x / y end,
  FROM = function(x, y) return y - x end, UNDER = function(x, y) return y / x end,
}

local jumps = {
  JMP = function() return true end,
  JLT = function(a, b) return a < b end,
  JNLE = function(a, b) return not (a <= b) end,
}

-- `last`: the result of the instruction before, which an operand may use.
local function compute(i, r, last)
  local op, told = i.op:match "^([%u_]+)%.?(%l?)$"
  local function value(name)
    if name == told then return last end
    return r[i[name]]
  end
  local first, second = op:match "^(%u+)_(%u+)$"
  if first then return halves[second](halves[first](value "b", value "c"), value "d") end
  if op == "MOVE" then return value "b" end
  if op == "SIN" then return math.sin(value "b") end
  if op == "COS" then return math.cos(value "b") end
  if op == "SELECT" then return value "b" == value "c" and value "b" or value "d" end
  return halves[op](value "b", value "c")
end

-- Runs code with its labels; unwritten values are 0. Nothing jumps backwards for ever.
local function run(code, given)
  local r, at, n, turns, last = setmetatable({}, { __index = function() return 0.0 end }), {}, 1, 0, nil
  for k, value in ipairs(given) do r[k - 1] = value end
  for k, i in ipairs(code) do if i.op == "LABEL" then at[i.to] = k end end
  while code[n].op ~= "END" and turns < 200 do
    local i = code[n]
    n, turns = n + 1, turns + 1
    if i.op == "LABEL" or i.op == "SELECT" or jumps[i.op] then last = nil end
    if jumps[i.op] then
      if jumps[i.op](r[i.a], r[i.b]) then n = at[i.to] end
    elseif i.op == "SINCOS" then
      local angle = r[i.b]
      r[i.a], r[i.c] = math.sin(angle), math.cos(angle)
      last = r[i.c]
    elseif i.op ~= "LABEL" then
      local answer = compute(i, r, last)
      r[i.a], last = answer, i.op ~= "SELECT" and answer or nil
    end
  end
  return turns < 200 and r
end

local function random_code(random)
  local code, labels = {}, { {}, {} }
  local ops = { "ADD", "SUB", "MUL", "DIV", "MUL", "ADD", "MOVE", "SIN", "COS", "SIN", "COS", "SELECT", "JLT", "JNLE",
    "JMP" }
  for _ = 1, random(4, 30) do
    local i = { op = ops[random(#ops)], a = random(INPUTS, PLACES - 1), b = random(0, PLACES - 1),
      c = random(0, PLACES - 1), d = random(0, PLACES - 1) }
    if jumps[i.op] then i.to = labels[random(#labels)] end
    code[#code + 1] = i
    local other = i.op == "SIN" and "COS" or i.op == "COS" and "SIN"
    if other and random(2) == 1 then
      code[#code + 1] = { op = other, a = random(INPUTS, PLACES - 1), b = i.b, c = i.c, d = i.d }
    end
  end
  for _, label in ipairs(labels) do table.insert(code, random(#code + 1), { op = "LABEL", to = label }) end
  code[#code + 1] = { op = "END" }
  return code
end

local function copy(code)
  local out = {}
  for n, i in ipairs(code) do out[n] = { op = i.op, a = i.a, b = i.b, c = i.c, d = i.d, to = i.to } end
  return out
end

local function same(a, b) return a == b or a ~= a and b ~= b end

local function count(code, pattern)
  local n = 0
  for _, i in ipairs(code) do if i.op:match(pattern) then n = n + 1 end end
  return n
end

describe("an optimized program", function()
  it("has the same results as before", function()
    math.randomseed(20)
    local tries, shorter, fused, compared, joined = cases(4000), 0, 0, 0, 0
    for _ = 1, tries do
      local code, stores = random_code(math.random), {}
      for k = 1, RESULTS do stores[k] = { 0, k - 1, 1, PLACES - RESULTS + k - 1, 0 } end
      local given = { math.random() - 0.5, math.random(-3, 3), math.random() * 4 }
      local before = run(code, given)
      local tidied = optimizer.code(copy(code), stores)
      local after = before and run(tidied, given)
      for k = 1, before and RESULTS or 0 do
        assert(same(before[PLACES - RESULTS + k - 1], after[stores[k][4]]), "another result")
        compared = compared + 1
      end
      shorter = shorter + #code - #tidied
      fused, joined = fused + count(tidied, "_"), joined + count(tidied, "SINCOS")
    end
    assert.is_true(compared > 1.25 * tries and shorter > 2.5 * tries and fused > 0.1 * tries and joined > 0.02 * tries,
      ("%d results compared, %d instructions less, %d fused, %d joined"):format(compared, shorter, fused, joined))
  end)

  it("fuses two operations, and uses the last result directly", function()
    local code = { { op = "MUL", a = 3, b = 0, c = 1 }, { op = "ADD", a = 4, b = 3, c = 2 },
      { op = "MUL", a = 3, b = 0, c = 1 }, { op = "SUB", a = 3, b = 2, c = 3 }, { op = "DIV", a = 8, b = 4, c = 3 },
      { op = "END" } }
    local stores = { { 0, 0, 1, 8, 0 } }
    local tidied = optimizer.code(code, stores)
    local ops = {}
    for n, i in ipairs(tidied) do ops[n] = i.op end
    assert.are.same({ "MUL_ADD", "MUL_FROM", "DIV.c", "END" }, ops)
    assert.are.equal((0.5 * 7 + 2) / (2 - 0.5 * 7), run(tidied, { 0.5, 7, 2 })[stores[1][4]])
  end)

  it("computes the sine and the cosine of a number at once, unless either is used in between", function()
    local function joined(...)
      local code = { ... }
      code[#code + 1] = { op = "END" }
      local stores = { { 0, 0, 1, 7, 0 }, { 0, 1, 1, 8, 0 } }
      return count(optimizer.code(code, stores), "SINCOS")
    end
    local sine, cosine, label = { op = "SIN", a = 7, b = 0 }, { op = "COS", a = 8, b = 0 }, {}
    local function one(i) return copy({ i })[1] end
    assert.are.equal(1, joined(one(sine), one(cosine)))
    assert.are.equal(1, joined(one(cosine), { op = "ADD", a = 3, b = 1, c = 2 }, one(sine)))
    assert.are.equal(0, joined(one(sine), { op = "COS", a = 8, b = 1 }))
    assert.are.equal(0, joined(one(sine), { op = "MUL", a = 0, b = 0, c = 1 }, one(cosine)))
    assert.are.equal(0, joined(one(sine), { op = "ADD", a = 7, b = 8, c = 7 }, one(cosine)))
    assert.are.equal(0, joined(one(sine), { op = "JLT", a = 1, b = 2, to = label }, one(cosine),
      { op = "LABEL", to = label }))
  end)

  it("stores a given number from its place, if every run copies it and nothing writes there", function()
    local function optimized(code)
      local stores = { { 0, 0, 1, 8, 0 } }
      return #optimizer.code(code, stores), stores[1][4]
    end
    local copied, label = { op = "MOVE", a = 8, b = 1 }, {}
    assert.are.same({ 1, 1 }, { optimized { copied, { op = "END" } } })
    local changed = { { op = "MOVE", a = 8, b = 1 }, { op = "ADD", a = 1, b = 0, c = 2 },
      { op = "ADD", a = 8, b = 8, c = 1 }, { op = "END" } }
    assert.are.equal(8, select(2, optimized(changed)))
    local sometimes = { { op = "JLT", a = 0, b = 2, to = label }, { op = "MOVE", a = 8, b = 1 },
      { op = "LABEL", to = label }, { op = "END" } }
    assert.are.same({ 4, 8 }, { optimized(sometimes) })
  end)
end)
