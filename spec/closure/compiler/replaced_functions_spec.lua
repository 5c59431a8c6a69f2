-- Programs of closures whose functions are replaced or looked up, while they run: they act as their closures.
local saltus = require "saltus"
local both_ways = require "spec.support.both_ways"

local steps, line_of = both_ways.steps, both_ways.line_of

describe("a program whose math function was replaced acts as its closure", function()
  -- `change` runs at 0.5, in a handler or between two calls: in Lua and as a program the run ends alike.
  local function agrees(make)
    for _, way in ipairs { "handler", "call" } do
      local hashes = {}
      for _, in_lua in ipairs { true, false } do
        local rate, change, restore = make()
        local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 0.5 } },
          derivatives = function(ctx, dot) dot.x = rate(ctx) end,
          events = { { name = "change", every = 10, offset = way == "handler" and 0.5 or 9, publish = change } },
        }, steps)
        local function run()
          sim:advance_to(0.5)
          if way == "call" then change() end
          sim:advance_to(1)
        end
        local ok, told
        if in_lua then ok, told = both_ways.in_lua(run) else ok, told = pcall(run) end
        if restore then restore() end
        hashes[#hashes + 1] = sim:hash() .. (ok and "" or tostring(told))
      end
      assert.equal(hashes[1], hashes[2], way)
    end
  end

  local other = { sin = function() return 42 end, pi = 3 }

  it("an upvalue, or nil there", function()
    for _, next_one in ipairs { other, false } do
      agrees(function()
        local m = math
        return function(ctx) return m.sin(ctx.time) end, function() m = next_one or nil end
      end)
    end
  end)

  it("a field", function()
    for _, next_one in ipairs { other, false } do
      agrees(function()
        local t = { m = math }
        return function(ctx) return t.m.sin(ctx.time) end, function() t.m = next_one or nil end
      end)
    end
  end)

  it("in its environment", function()
    for _, next_one in ipairs { other, false } do
      for _, index in ipairs { _G, function(_, name) return _G[name] end } do
        agrees(function()
          local env = setmetatable({ math = math }, { __index = index })
          local fn = load("return function(ctx) return math.sin(ctx.time) + math.pi end", "=in", "t", env)()
          return fn, function() env.math = next_one end
        end)
      end
    end
  end)

  it("an environment", function()
    agrees(function()
      local fn = load("return function(ctx) return math.sin(ctx.time) end", "=in", "t", { math = math })()
      return fn, function() debug.setupvalue(fn, 1, { math = other }) end
    end)
  end)

  it("an element of it", function()
    for _, name in ipairs { "sin", "pi" } do
      local was = math[name]
      agrees(function()
        return function(ctx) return math.sin(ctx.time) + math.pi end,
          function() math[name] = other[name] end, -- luacheck: ignore
          function() math[name] = was end -- luacheck: ignore
      end)
    end
  end)

  it("used as a boolean only", function()
    agrees(function()
      local m = math
      return function() if m then return 1 else return 2 end end, function() m = nil end
    end)
  end)

  it("changed while another closure runs", function()
    agrees(function()
      local m, count = math, 0
      return function(ctx)
        count = count + 1 -- this one stays in Lua
        if count > 300 then m = other end
        return m.sin(ctx.time)
      end, function() end
    end)
  end)
end)

describe("a program, at its runs 2^k", function()
  it("is compared with its closure again", function()
    -- The environment counts who looks for math: the closure each time, its program once in a call of the simulator.
    local function looked(duration)
      local count = 0
      local env = setmetatable({}, { __index = function(_, name)
        count = count + 1
        return _G[name]
      end })
      local fn = load("return function(ctx, dot) dot.x = math.sin(ctx.time) end", "=in", "t", env)()
      local sim = saltus.simulator(saltus.system { name = "s", z = { { "x", 0 } }, derivatives = fn }, steps)
      sim:advance_to(duration)
      assert.equal("program", line_of(sim, "derivatives").state)
      return count
    end
    looked(1) -- from here on the closure is a program at once
    local each = looked(2) - looked(1)
    assert.is_true(each > 0 and each <= 2, tostring(each))
    assert.equal(3 * each, looked(16) - looked(2))
  end)
end)
