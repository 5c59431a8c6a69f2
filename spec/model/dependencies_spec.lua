-- Mirrors lua/saltus/model/dependencies.lua: what outputs read at once, and loops among them.
local saltus = require "saltus"
local dependencies = require "saltus.model.dependencies"

local function gain(name, needs)
  return saltus.system { name = name, inputs = { { "u", 0 } },
    outputs = { { "y", function(ctx) return 2 * ctx.u end, needs = needs } } }
end

local lag = saltus.system { name = "lag", z = { "x" }, inputs = { { "u", 1 } },
  outputs = { y = function(ctx) return 3 * ctx.x end, fast = function(ctx) return ctx.y + ctx.u end },
  derivatives = function(ctx, dot) dot.x = ctx.u - ctx.x end }

-- "a.y" feeds "b.u", "b.y" feeds "c.u", ... and the last the first.
local function ring(parts)
  local d = saltus.diagram "ring"
  for _, part in ipairs(parts) do d:add(part) end
  for i, part in ipairs(parts) do d:connect(part.name .. ".y", parts[i % #parts + 1].name .. ".u") end
  return d
end

local function names_of(list)
  local out = {}
  for i, e in ipairs(list) do out[i] = e.name end
  return out
end

describe("the direct feed-through of an output", function()
  it("is found by a call: inputs and other outputs", function()
    local found = dependencies.of(lag)
    assert.same({ "x" }, names_of(found[lag.ports.y]))
    assert.same({ "y", "u" }, names_of(found[lag.ports.fast]))
  end)

  it("is declared by needs, if that is given", function()
    local narrow = gain("narrow", { "time" })
    assert.same({}, names_of(dependencies.of(narrow)[narrow.ports.y]))
  end)

  it("is found by one call with the defaults, which may fail", function()
    local seen = {}
    local s = saltus.system { name = "s", inputs = { { "u", { 4, 5 } } }, params = { p = 3 },
      discrete = { { "mode", "on", values = { "off", "on" } } }, abstract = { notes = { 1 } },
      outputs = { y = function(ctx)
        seen[#seen + 1] = { ctx.time, ctx.p, ctx.mode, ctx.u[2], ctx.notes[1] }
        error "too early"
      end } }
    local d = saltus.diagram "d"
    d:add(s)
    d:add(s, "again")
    d:build()
    d:build()
    assert.same({ { 0, 3, "on", 5, 1 } }, seen)
    assert.same({ "p", "mode", "u", "notes" }, names_of(dependencies.of(s)[s.ports.y]))
  end)
end)

describe("an algebraic loop", function()
  -- The simulator lets the engine find it.
  local function refused(d, pattern)
    for _, build in ipairs { d.build, saltus.simulator } do
      local _, message = pcall(function() build(d) end)
      assert.matches("^spec/model/dependencies_spec%.lua:%d+: ", message)
      assert.matches(pattern, message)
    end
  end

  it("of five parts is refused at build, with its ports and the lines that connect them", function()
    local d = ring { gain "a", gain "b", gain "c", gain "e", gain "f" }
    local line = debug.getinfo(ring, "S").linedefined + 3
    for _, build in ipairs { d.build, saltus.simulator } do
      local ok, message = pcall(build, d)
      assert.is_false(ok)
      assert.is_truthy(message:find('"ring" has an algebraic loop', 1, true), message)
      local at = 1
      for _, text in ipairs { "a.y -> b.u", "b.y -> c.u", "c.y -> e.u", "e.y -> f.u", "f.y -> a.u" } do
        local wanted = ("%s  (connected at spec/model/dependencies_spec.lua:%d)"):format(text, line)
        local _, last = message:find(wanted, at, true)
        assert.is_truthy(last, text .. " in\n" .. message)
        at = last
      end
    end
  end)

  it("is broken by a state, by a declared need, or by a missing connection", function()
    assert.has_no.errors(function()
      for _, d in ipairs { ring { gain "a", lag, gain "b" }, ring { gain "a", gain("b", {}) } } do
        d:build()
        saltus.simulator(d)
      end
    end)
  end)

  it("inside one part is an error too", function()
    local s = saltus.system { name = "s", inputs = { { "u", 0 } },
      outputs = { a = function(ctx) return ctx.b end, b = function(ctx) return ctx.a + ctx.u end } }
    local d = saltus.diagram "d"
    d:add(s)
    refused(d, "s%.b %-> s%.a  %(inside of the part%)")
  end)

  it("in a diagram inside of another names the whole path", function()
    local inner = saltus.diagram "inner"
    inner:add(gain "g")
    inner:export_input("u", "g.u")
    inner:export_output("g.y", "y")
    local d = saltus.diagram "outer"
    d:add(inner)
    d:add(gain "h")
    d:connect("inner.y", "h.u")
    d:connect("h.y", "inner.u")
    refused(d, "inner%.g%.y %-> h%.u .* h%.y %-> inner%.g%.u")
  end)
end)

describe("a chain of outputs", function()
  it("may be longer than a stack allows, and each is computed once", function()
    local calls, length = 0, os.getenv "SALTUS_GC" == "stress" and 300 or 10000
    local one = saltus.system { name = "one", inputs = { { "u", 0 } },
      outputs = { y = function(ctx) calls = calls + 1 return ctx.u + 1 end } }
    local d = saltus.diagram "chain"
    for i = 1, length do d:add(one, "n" .. i) end
    for i = 2, length do d:connect(("n%d"):format(i - 1), ("n%d"):format(i)) end
    local sim = saltus.simulator(d)
    calls = 0
    assert.equal(length, sim.context["n" .. length].y)
    assert.equal(length, sim.context["n" .. length].y)
    assert.equal(length, calls)
    sim.context.n1.u = 5
    assert.equal(length + 5, sim.context["n" .. length].y)
  end)
end)

describe("an input that arrives with the call", function()
  -- `source` fails between t = 1 and t = 2; `sink` reads it as `read` says.
  local function line(read)
    local source = saltus.system { name = "source", outputs = { y = function(ctx)
      if ctx.time > 1 and ctx.time < 2 then error "no signal" end
      return ctx.time
    end } }
    local sink = saltus.system { name = "sink", inputs = { { "u", 0 } }, z = { "x" },
      derivatives = function(ctx, dot) dot.x = read(ctx) end }
    local d = saltus.diagram "line"
    d:add(source) d:add(sink)
    d:connect("source.y", "sink.u")
    return saltus.simulator(d, { max_step = 0.1 })
  end

  it("may fail while it is not read, and is available again afterwards", function()
    local sim = line(function(ctx) return ctx.time > 0.9 and ctx.time < 2.1 and 0 or ctx.u end)
    sim:advance_to(3)
    assert.near((0.9 ^ 2 + 3 ^ 2 - 2.1 ^ 2) / 2, sim.context.sink.x, 1e-3)
  end)

  it("may be tried under pcall", function()
    local sim = line(function(ctx)
      local ok, u = pcall(function() return ctx.u end)
      return ok and u or 0
    end)
    sim:advance_to(3)
    assert.near((1 + 3 ^ 2 - 2 ^ 2) / 2, sim.context.sink.x, 1e-3)
  end)

  it("raises the error when it is read", function()
    local sim = line(function(ctx) return ctx.u end)
    assert.error_matches(function() sim:advance_to(3) end, "no signal %(in derivatives of sink at t = ")
    assert.equal("sink", sim.failure.system)
  end)

  it("is read-only, whether it is one value, a list or a mode", function()
    for _, given in ipairs { { "u", 0 }, { "u", { 1, 2 } }, { "u", "on", values = { "off", "on" } } } do
      local s = saltus.system { name = "s", z = { "x" }, inputs = { given }, derivatives = function(ctx, dot)
        dot.x = 1
        if ctx.u and ctx.time > 0 then
          if type(ctx.u) == "table" then ctx.u[1] = 7 else ctx.u = 7 end
        end
      end }
      assert.error_matches(function() saltus.simulator(s):advance_to(30) end, 'derivatives of "s" writes ctx%.u')
    end
  end)
end)

describe("needs", function()
  it("are enforced: reading another input or output is an error", function()
    local s = saltus.system { name = "s", inputs = { { "u", 1 }, { "v", 2 } }, outputs = {
      { "y", function(ctx) return ctx.u + ctx.v end, needs = { "u" } } } }
    assert.error_matches(function() return saltus.simulator(s).context.y end,
      'output "y" of "s" reads ctx%.v, which its needs leave out; name it there: needs = { "v" }')
  end)

  it("may omit states and parameters, which have no feed-through", function()
    local s = saltus.system { name = "s", z = { { "x", 3 } }, params = { k = 2 }, inputs = { { "u", 1 } },
      outputs = { { "y", function(ctx) return ctx.k * ctx.x + ctx.u end, needs = { "u" } } },
      derivatives = function(_, dot) dot.x = 0 end }
    assert.equal(7, saltus.simulator(s).context.y)
  end)
end)

describe("a loop that appears during the run", function()
  it("is reported as a loop, with its ports and lines", function()
    local function late(name)
      return saltus.system { name = name, inputs = { { "u", 0 } },
        outputs = { y = function(ctx) return ctx.time > 1 and ctx.u or 0 end } }
    end
    local sink = saltus.system { name = "sink", inputs = { { "u", 0 } }, z = { "x" },
      derivatives = function(ctx, dot) dot.x = ctx.u end }
    local d = ring { late "a", late "b" }
    d:add(sink)
    d:connect("a.y", "sink.u")
    local sim = saltus.simulator(d)
    assert.error_matches(function() sim:advance_to(2) end,
      '"ring" has an algebraic loop.* a%.y %-> b%.u  %(connected at spec/model/dependencies_spec%.lua:%d+%).*'
        .. " b%.y %-> a%.u")
    assert.is_true(sim.context.time <= 1)
    assert.equal("sink", sim.failure.system)
  end)
end)

describe("the computation of outputs", function()
  -- Counts the calls of its outputs; `crossing` needs one input, `straight` the other.
  local function counting(name, calls)
    local function count(which, fn)
      return function(ctx)
        calls[name .. "." .. which] = (calls[name .. "." .. which] or 0) + 1
        return fn(ctx)
      end
    end
    return saltus.system { name = name, inputs = { { "u", 1 }, { "v", 1 } }, outputs = {
      straight = count("straight", function(ctx) return ctx.u + 1 end),
      crossing = count("crossing", function(ctx) return ctx.v + 1 end),
      unread = count("unread", function(ctx) return ctx.u + ctx.v end) } }
  end
  local sink = saltus.system { name = "sink", inputs = { { "u", 0 } }, z = { "x" },
    derivatives = function(ctx, dot) dot.x = ctx.u end }

  it("evaluates each value that is read once for each state, and no other", function()
    local calls = {}
    local d = saltus.diagram "d"
    d:add(counting("a", calls))
    for i = 1, 3 do
      d:add(sink, "sink" .. i)
      d:connect("a.straight", ("sink%d.u"):format(i))
    end
    local sim = saltus.simulator(d, { integrator = "runge_kutta4", fixed_step = true, max_step = 0.1 })
    sim:initialize()
    calls["a.straight"], calls["a.unread"] = 0, nil -- the build asked
    sim:advance_to(1)
    assert.equal(sim.stats.derivative_evaluations, calls["a.straight"])
    assert.is_nil(calls["a.unread"])
    for _ = 1, 3 do assert.equal(2, sim.context.a.straight) end
    assert.is_true(calls["a.straight"] <= sim.stats.derivative_evaluations + 1)
  end)

  it("is not blocked by unrelated ports: two ways through one part are no loop", function()
    local calls = {}
    local d = saltus.diagram "d"
    d:add(counting("a", calls))
    d:add(sink)
    d:connect("a.straight", "a.v")
    d:connect("a.crossing", "sink.u")
    local sim = saltus.simulator(d)
    sim:advance_to(1)
    assert.near(3, sim.context.sink.x, 1e-12)
  end)
end)

describe("loops in random diagrams", function()
  local random = require "spec.support.random"

  -- Two inputs, two outputs; which output needs which input is drawn.
  local function part_of(r, i)
    local needs, outputs = {}, {}
    for k = 1, 2 do
      needs[k] = {}
      for _, name in ipairs { "u1", "u2" } do
        if r:chance(0.35) then table.insert(needs[k], name) end
      end
      outputs[k] = { "y" .. k, function() return 0 end, needs = needs[k] }
    end
    return saltus.system { name = "p" .. i, inputs = { { "u1", 0 }, { "u2", 0 } }, outputs = outputs }, needs
  end

  -- Removes outputs without remaining needs until nothing changes: the rest is in or behind a loop.
  local function has_loop(needs, feeders)
    local left, changed = {}, true
    for i in ipairs(needs) do left[i .. ".1"], left[i .. ".2"] = { i, 1 }, { i, 2 } end
    while changed do
      changed = false
      for key, at in pairs(left) do
        local free = true
        for _, name in ipairs(needs[at[1]][at[2]]) do
          local from = feeders[at[1] .. "." .. name]
          if from and left[from] then free = false end
        end
        if free then left[key], changed = nil, true end
      end
    end
    return next(left) ~= nil
  end

  it("are found where they exist, and only there, and the printed ports form a loop", function()
    local found = 0
    for seed = 1, 300 do
      local r = random.new(seed)
      local d, needs, feeders, n = saltus.diagram "d", {}, {}, r:integer(1, 8)
      for i = 1, n do
        local part
        part, needs[i] = part_of(r, i)
        d:add(part)
      end
      for i = 1, n do
        for k = 1, 2 do
          local from, port = r:integer(1, n), r:integer(1, 2)
          if r:chance(0.7) then
            d:connect(("p%d.y%d"):format(from, port), ("p%d.u%d"):format(i, k))
            feeders[("%d.u%d"):format(i, k)] = ("%d.%d"):format(from, port)
          end
        end
      end
      local ok, message = pcall(d.build, d)
      assert.equal(not has_loop(needs, feeders), ok, seed)
      local first, last
      for output, input in (ok and "" or message):gmatch "(p%d%.y%d) %-> (p%d%.u%d)" do
        assert.equal(output:gsub("[py]", ""), feeders[input:sub(2)])
        if last then assert.equal(last:sub(1, 2), output:sub(1, 2)) end
        first, last = first or output, input
      end
      if not ok then
        assert.equal(first:sub(1, 2), last:sub(1, 2)) -- it closes
        found = found + 1
      end
    end
    assert.is_true(found > 60 and found < 240, found)
  end)
end)
