-- Mirrors lua/saltus/output/animation/pen.lua and scene.lua.
local saltus = require "saltus"
local pen = require "saltus.output.animation.pen"
local scene = require "saltus.output.animation.scene"

local function drawn(fn)
  local hand = pen.new()
  fn(hand)
  return hand.commands
end

describe("the pen", function()
  it("writes down numbers, style and text of each command in order", function()
    local commands = drawn(function(hand)
      hand:line(0, 1, 2, 3)
      hand:box(1, 2, 3, 4, { angle = 0.5, colour = 2 })
      hand:polygon({ { 0, 0 }, { 1, 0 }, { 0, 1 } }, { fill = "#00ff7f" })
      hand:text(5, 6, "a \"word\"", { align = "centre" })
    end)
    assert.same({
      { op = "line", style = "{}", 0, 1, 2, 3 },
      { op = "box", style = '{"colour":2}', 1, 2, 3, 4, 0.5 },
      { op = "polygon", style = '{"fill":"#00ff7f"}', 0, 0, 1, 0, 0, 1 },
      { op = "text", style = '{"align":"centre"}', text = 'a "word"', 5, 6 },
    }, commands)
  end)

  it("has a line of help for each method, and no other", function()
    local listed, known = {}, {}
    for _, row in ipairs(pen.methods) do listed[row[1]:match "^%a+"] = true end
    for name, value in pairs(getmetatable(pen.new()).__index) do
      if type(value) == "function" then known[name] = true end
    end
    assert.same(known, listed)
  end)

  local function refused(fn, message)
    assert.error_matches(function() drawn(fn) end, message, 1, true)
  end

  it("refuses what is no finite number, by its name", function()
    refused(function(hand) hand:line(0, 0, 0 / 0, 1) end, "pen:line: x2 must be a finite number, got NaN")
    refused(function(hand) hand:circle(0, 0, -1) end, "pen:circle: radius must not be negative, got -1")
    refused(function(hand) hand:polygon { { 0, 0 }, { 1 } } end,
      "pen:polygon: y of point 2 must be a finite number, got nil")
    refused(function(hand) hand:text(0, 0, {}) end, "pen:text: the text must be a string or a number, got a table")
  end)

  it("refuses unknown and misplaced fields of a style", function()
    refused(function(hand) hand:line(0, 0, 1, 1, { color = 2 }) end,
      'pen:line: unknown option "color"; did you mean "colour"')
    refused(function(hand) hand:line(0, 0, 1, 1, { fill = true }) end, "pen:line: fill has no meaning here")
    refused(function(hand) hand:text(0, 0, "a", { width = 2 }) end, "pen:text: width has no meaning here")
    refused(function(hand)
      hand:circle(0, 0, 1, { colour = 1 })
      hand:circle(0, 0, 1, { colour = "1" })
    end, 'pen:circle: colour must be 1 to 8 (the colours of plots), "ink", "soft" or "#rrggbb", got "1"')
    refused(function(hand) hand:box(0, 0, 1, 1, { angle = 1 / 0 }) end, "pen:box: angle must be a number of radians")
    refused(function(hand) hand:circle(0, 0, 1, { colour = "red" }) end, "pen:circle: colour must be 1 to 8")
    refused(function(hand) hand:circle(0, 0, 1, 2) end, "pen:circle: the style must be a table")
  end)

  it("has no other methods", function()
    refused(function(hand) hand:crcle(0, 0, 1) end, 'unknown method "crcle" of the pen; did you mean "circle"?')
  end)

  it("asks for the colon", function()
    refused(function(hand) hand.line(0, 0, 1, 1) end, "write pen:line(...), with a colon")
  end)
end)

describe("a scene", function()
  local function dot(name)
    return saltus.system { name = name, z = { { "x", 1 } }, derivatives = function(_, d) d.x = 0 end,
      draw = function(ctx, hand) hand:circle(ctx.x, 0, 1) end }
  end

  it("is drawn by each part with its own context, in their order, then by the scenario", function()
    local inner, outer = saltus.diagram "inner", saltus.diagram "outer"
    inner:add(dot "a")
    outer:add(inner)
    outer:add(dot "b")
    local sim = saltus.simulator(outer:with { ["inner.a.x"] = 3, ["b.x"] = 4 })
    local seen = scene.of(sim.model, function(ctx, hand) hand:line(ctx.inner.a.x, 0, ctx.b.x, 0) end)
    assert.same({ { op = "circle", style = "{}", 3.0, 0, 1 }, { op = "circle", style = "{}", 4.0, 0, 1 },
      { op = "line", style = "{}", 3.0, 0, 4.0, 0 } }, seen:picture(sim.context))
  end)

  it("is nil where nothing draws", function()
    local still = saltus.system { name = "still", z = { "x" }, derivatives = function(_, d) d.x = 0 end }
    assert.is_nil(scene.of(saltus.simulator(still).model))
  end)

  it("says when a draw failed, and where", function()
    local broken = saltus.system { name = "broken", draw = function(ctx) return ctx.nothing end }
    local sim = saltus.simulator(broken)
    local _, wrong = pcall(scene.of(sim.model).picture, scene.of(sim.model), sim.context)
    assert.matches('pen_spec.lua:%d+: unknown name "nothing" in "broken" %(draw at t = 0%)', wrong)
  end)

  it("refuses views that are no rectangle", function()
    local function refused(view, message)
      assert.error_matches(function() saltus.scenario { system = dot "a", view = view } end, message, 1, true)
    end
    refused(3, "saltus.scenario: view must be a table like")
    refused({ lef = 1 }, 'saltus.scenario: view: unknown side "lef"; did you mean "left"')
    refused({ left = 2, right = 1 }, "saltus.scenario: view: left must be less than right, got 2 and 1")
    refused({ top = 1 / 0 }, "saltus.scenario: view: top must be a finite number, got infinity")
    refused({ top = 1e101 }, "saltus.scenario: view: top must be at most 1e100 in size, got 1e+101")
    refused({ left = 0, right = 1e-320 }, "saltus.scenario: view: left and right are too close, 0 and ")
    refused({ bottom = 1, top = 1 + 2 ^ -52 }, "view: bottom and top are too close, 1 and 1.0000000000000002")
  end)

  it("needs functions", function()
    assert.error_matches(function() saltus.scenario { system = dot "a", draw = 1 } end,
      "saltus.scenario: draw must be a function%(ctx, pen%), got 1")
    assert.error_matches(function() saltus.system { name = "a", draw = {} } end,
      'system "a": draw must be a function%(ctx, pen%), got a table')
  end)
end)
