-- Mirrors lua/saltus/closure/compiler/: what a program must do as Lua does, at the edges of arithmetic and of what it
-- knows.
local saltus = require "saltus"
local both_ways = require "spec.support.both_ways"
local slicing = require "saltus.closure.compiler.slicing"

local line_of = both_ways.line_of

-- fn() while of[key] is `value`.
local function with(of, key, value, fn)
  local before = of[key]
  of[key] = value
  local ok, told = pcall(fn)
  of[key] = before
  assert(ok, told)
end

-- A definition whose w' is rate(ctx), with what `changes` adds.
local function of_rate(rate, changes)
  return both_ways.definition(function(ctx, dot)
    dot.u[1], dot.u[2], dot.u[3] = 0, 0, 0
    dot.w = rate(ctx)
  end, changes)
end

-- The same both ways, and never dropped because of a difference in a trial.
local function agrees(define, state)
  local sim, told = both_ways.run(define, 2.5)
  local line = line_of(sim, "derivatives")
  assert.not_equal("its program gave other results", line.why)
  assert.equal(state or "program", line.state, line.why)
  return sim, told
end

describe("a program, at the edges of arithmetic,", function()
  it("leaves integers that doubles cannot hold to Lua", function()
    agrees(function()
      return of_rate(function(ctx) return (math.floor(ctx.k * 0 + 2.0 ^ 56) // 257) % 1000 end)
    end, "lua")
    agrees(function()
      return of_rate(function(ctx) return ctx.w * 0 + 2 ^ 63 == math.maxinteger and 1 or 2 end)
    end, "lua")
  end)

  it("runs loops over NaN as Lua does", function()
    agrees(function()
      return of_rate(function(ctx)
        local nan, n = 0 / 0 * ctx.k, 0.0
        for _ = nan, 2 do n = n + 1 end
        for _ = 1.0, nan do n = n + 10 end
        for _ = 1, nan do n = n + 100 end
        return n
      end)
    end)
    agrees(function()
      return of_rate(function(ctx)
        local n = 0.0
        for _ = 1, 0 / 0 * ctx.k, -1 do
          n = n + 1
          if n > 10 then break end
        end
        return n
      end)
    end, "lua")
  end)

  it("has one zero for integers", function()
    agrees(function()
      return of_rate(function()
        local sum = 0.0
        for i = -3, 3 do
          local zero = i * 0
          for j = -2, 2 do if j ~= 0 then sum = sum + (i // j) * 3 + i % j + 1 / (-zero + j) end end
        end
        return sum
      end)
    end)
  end)

  it("distinguishes strings that contain zero bytes", function()
    agrees(function()
      return of_rate(function(ctx)
        local one, other = ctx.w > 1 and "a" or "b", "a\0b"
        return other == one and 1 or one == "a" and 2 or 3
      end)
    end)
  end)

  it("preserves values that it copies back and forth", function()
    agrees(function()
      return of_rate(function(ctx)
        local list = { ctx.w * 3 + ctx.k, 1.5, ctx.time }
        local sum = list[1] + list[#list]
        return math.sin(sum) + list[1]
      end)
    end)
  end)
end)

describe("a program that reads and writes", function()
  it("sees that a table is gone", function()
    agrees(function()
      local box = {}
      return of_rate(function() return box and 1 or 0 end,
        { events = { { name = "take", every = 1, offset = 1, publish = function() box = nil end } } })
    end)
  end)

  it("reads no metatable that the closure does not read", function()
    local asked = 0
    agrees(function()
      local source = setmetatable({}, { __index = function() asked = asked + 1 end })
      return of_rate(function(ctx) return ctx.time > 10 and source.x or 1 end)
    end, "lua")
    assert.equal(0, asked)
  end)

  it("reports a read before a write as the closure does", function()
    local _, told = agrees(function()
      return both_ways.definition(function(ctx, dot)
        if ctx.time < 1.5 then dot.u[1] = 2 end
        dot.w = dot.u[1]
        dot.u[1], dot.u[2], dot.u[3] = 0, 0, 0
      end)
    end, "lua")
    assert.is_truthy(tostring(told):find('leaves "w" unset', 1, true), told)
  end)

  it("raises the errors of unused values", function()
    local _, told = agrees(function()
      return of_rate(function(ctx)
        local _ = ctx.u[math.floor(ctx.time * 2) + 1] * 2
        return 1
      end)
    end)
    assert.is_truthy(tostring(told):find("arithmetic on a nil value", 1, true), told)
  end)

  it("leaves a vector that two names share to Lua", function()
    agrees(function()
      return both_ways.definition(function(ctx, dot)
        local list = { ctx.w, ctx.time, 0.5 }
        dot.u, dot.w = list, 1
        list[1] = 7.5
      end)
    end, "lua")
    agrees(function()
      return both_ways.definition(function(ctx, dot)
        dot.u = { ctx.w, ctx.time, 0.5 }
        dot.u[1], dot.w = 7.5, 1
      end)
    end, "lua")
    local _, told = agrees(function()
      return both_ways.definition(function(ctx, dot)
        dot.u, dot.w = ctx.u, 1
        if ctx.time > 1.5 then dot.u[2] = 0.5 end
      end)
    end, "lua")
    assert.is_truthy(tostring(told):find("ctx is read-only", 1, true), told)
  end)
end)

describe("a program that reads the past", function()
  it("preserves its numbers where the read runs the same program", function()
    local sim
    local function part(name, history)
      return saltus.system { name = name, z = { { "w", 1 } }, past = { w = 5 }, history = { w = history },
        outputs = { { "o", function(ctx)
          local thrice = ctx.w * 3
          return thrice + ctx.past.w(4.5) * ctx.w + thrice
        end } },
        derivatives = function(ctx, dot) dot.w = -ctx.o * 0.01 end }
    end
    local function run(advance)
      local diagram = saltus.diagram "pair"
      diagram:add(part("a", function(t) return t > -3 and sim.context.b.o * 0.1 or 0.5 end))
      diagram:add(part("b", function(t) return 0.25 + t * 0.01 end))
      sim = saltus.simulator(diagram, both_ways.steps)
      assert.is_true(advance(sim.advance_to, sim, 3))
      return sim:hash()
    end
    assert.equal(run(both_ways.in_lua), run(pcall))
  end)
end)

describe("cached programs of equal closures", function()
  local function sines() return of_rate(function(ctx) return math.sin(ctx.w) end) end

  it("are not those of another function of math", function()
    agrees(sines)
    local sin = math.sin
    with(math, "sin", function(x) return sin(x) + 0.5 end, function() agrees(sines, "lua") end)
    with(math, "sin", math.cos, function() agrees(sines) end)
  end)

  it("are not those of an output of Lua values", function()
    local function twice(ctx) return ctx.w * 2 end
    for _, abstract in ipairs { false, true } do
      agrees(function()
        return of_rate(function(ctx) return ctx.o end, { outputs = { { "o", twice, abstract = abstract or nil } } })
      end, abstract and "lua" or "program")
    end
  end)

  it("serve parts with their own helper functions, and do not prevent their collection", function()
    local alive = setmetatable({}, { __mode = "k" })
    local function part(i)
      local own = { by = i }
      alive[own] = true
      local function helper(x) return -x * own.by end
      return saltus.system { name = "p" .. i, z = { { "x", 1 } },
        derivatives = function(ctx, dot) dot.x = helper(ctx.x) end }
    end
    do
      local diagram = saltus.diagram "many"
      for i = 1, 9 do diagram:add(part(i)) end
      local sim = both_ways.run(diagram)
      for _, line in ipairs(sim:programs()) do assert.equal("program", line.state) end
      for i = 1, 9 do assert.near(math.exp(-i), sim.context["p" .. i].x, 1e-6) end
    end
    collectgarbage()
    collectgarbage()
    assert.is_nil(next(alive))
  end)
end)

describe("a closure", function()
  it("whose helpers call one another very often is not analysed without limit", function()
    local text = { "local f0 = function(x) return x * 0.5 end\n" }
    for k = 1, 3 do
      local calls = ("f%d(x) + "):format(k - 1):rep(8)
      text[#text + 1] = ("local f%d = function(x) return %s1 end\n"):format(k, calls)
    end
    local rate = assert(load(table.concat(text) .. "return f3"))()
    local sim = both_ways.run(saltus.system(of_rate(function(ctx) return rate(ctx.w) end)), 0.2)
    assert.equal("it is too long", line_of(sim, "derivatives").why)
  end)

  it("with a hundred comparisons is sliced at once, each slice as short as its comparison", function()
    local text = { "local x, inside = ctx.x, false" }
    for k = 1, 50 do
      text[k + 1] = ("if x > %d.5 then if x < %d.75 then inside = true else inside = false end end"):format(k, k)
    end
    local condition = assert(load(("return function(ctx) %s return inside end"):format(table.concat(text, "\n"))))()
    local system = saltus.system { name = "bands", q = { x = 0 }, derivatives = function(_, dot) dot.x = 1 end }

    local instructions = 0
    debug.sethook(function() instructions = instructions + 1000 end, "", 1000)
    local slices = slicing.of(system, condition)
    debug.sethook()
    assert.equal(100, #slices)
    for _, slice in ipairs(slices) do assert.is_true(#slice.made.listing <= 5) end
    assert.is_true(instructions < 2e7, instructions)
  end)

  it("remains in Lua where bytecode cannot be read", function()
    with(require("saltus.closure.compiler.bytecode"), "of", function() end, function()
      local sim = both_ways.run(saltus.system(of_rate(function(ctx) return ctx.w end)))
      assert.equal("it calls a function that cannot be compiled", line_of(sim, "derivatives").why)
    end)
  end)
end)
