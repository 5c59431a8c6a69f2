local saltus = require "saltus"
local fails = require "spec.support.fails"
local grammar = require "saltus.formula.grammar"

-- always[0,5](>(x,2)) and the like
local function shape(node)
  local parts = {}
  for i, child in ipairs(node) do parts[i] = shape(child) end
  return node.op .. (node.a and ("[%g,%g]"):format(node.a, node.b) or "") .. tostring(node.path or node.name
    or node.value or "") .. (parts[1] and "(" .. table.concat(parts, ",") .. ")" or "")
end

local function tree(text) return shape(grammar.parse(text).root) end

describe("a formula", function()
  it("binds comparisons before not, not before until, until before and, or, ->", function()
    assert.equal("->(or(path" .. "a,and(until[0,inf](not(>(pathx,number1)),pathb),pathc)),pathd)",
      tree "a or not x > 1 until b and c -> d")
    assert.equal(tree "a -> (b -> c)", tree "a -> b -> c")
    assert.equal(tree "(a and b) and c", tree "a and b and c")
    assert.equal(tree "(not a) until[1,2] (b)", tree "not a until[1,2] b")
    assert.equal(tree "always (eventually (rise (x > 2)))", tree "always eventually rise x > 2")
  end)

  it("computes as Lua does", function()
    assert.equal(tree "x > 1 + (2 * (3 ^ (2 ^ 2)))", tree "x > 1 + 2 * 3 ^ 2 ^ 2")
    assert.equal(tree "x > (1 - 2) - 3", tree "x > 1 - 2 - 3")
    assert.equal(tree "x > -(2 ^ 2)", tree "x > -2 ^ 2")
    assert.equal(tree "x > 2 ^ (-2)", tree "x > 2 ^ -2")
    assert.equal(">(callf(pathx,callabs(pathy)),number0.001)", tree "f(x, abs(y)) > 1e-3")
  end)

  it("knows within, never and after by other words", function()
    assert.equal(tree "eventually[0,0.3] x > 1", tree "x > 1 within 0.3")
    assert.equal(tree "eventually[1,2] x > 1", tree "within[1,2] x > 1")
    assert.equal(tree "always[0,3] (not x > 1)", tree "never[0,3] x > 1")
    assert.equal(tree "always (ring -> always[1,2] x > 1)", tree "x > 1 after[1,2] ring")
    assert.equal(tree "not (x > 1 within 2)", tree "not x > 1 within 2")
  end)

  it("reads paths, elements and modes", function()
    assert.equal("and(==(pathplant.pump,modeoff),<(pathplant.r[2],number3))",
      tree "plant.pump == 'off' and plant.r[2] < 3")
    assert.equal(tree "a == 'b c'", tree 'a == "b c"')
  end)

  it("is quoted, with the column, where it is wrong", function()
    local function wrong(text, column, message)
      fails(('"%s", column %d: %s'):format(text:gsub('"', '\\"'), column, message),
        function() grammar.parse(text) end)
    end
    wrong("level >", 8, "a name, a number or a condition is missing, found the end")
    wrong("alwys x > 3", 7, 'the formula should end here, or go on with and, or, until; found "x"; '
      .. 'did you mean "always"?')
    wrong("x > 1 > 2", 7, "one comparison has two sides; join two with and")
    wrong("x + 1", 1, 'a formula takes conditions, and "x + 1" is a number; compare it, as in x + 1 > 0')
    wrong("x and (y + 2)", 8, 'and takes conditions, and "y + 2" is a number; compare it, as in y + 2 > 0')
    wrong("1 + (x > 2) > 3", 6, '"+" takes numbers, and "x > 2" is a condition')
    wrong("always[3] x > 2", 7, "an interval has two ends: write [0, 3]")
    wrong("within 3 x > 0", 8,
      "within takes its times in brackets and then a condition; write within[0, 3] x > 0")
    wrong("a -> eventually 2.5 (b or c)", 17,
      "eventually takes its times in brackets and then a condition; write eventually[0, 2.5] (b or c)")
    wrong("a until 3 b", 9, "until takes its times in brackets and then a condition; write until[0, 3] b")
    wrong("always 3", 8, "always takes its times in brackets and then a condition; write always[0, 3] and a condition")
    wrong("always[0,1] 3", 13, 'always takes conditions, and "3" is a number; compare it, as in 3 > 0')
    wrong("x > 0 within y", 14, 'a number of seconds is missing after within, as in within 3, found "y"')
    wrong("always[2,1] x > 2", 7, "the interval [2, 1] is empty; its ends must ascend")
    wrong("always[0,-1] x > 2", 10, 'a number of seconds is missing in the interval, found "-"')
    wrong("a until b until c", 11, "put brackets around one of the two: (a until b) until c")
    wrong("x = 3", 3, "write == instead of =")
    wrong("a && b", 3, "write and instead of &&")
    wrong("(x > 2", 1, "the bracket is not closed; found the end")
    wrong("always(0,5) x > 2", 7, 'the bracket is not closed; found ","; times are in square brackets, as in '
      .. "always[0, 5]")
    wrong("always[0;5] x > 2", 9, "write , instead of ;")
    wrong("G x > 3", 3, 'the formula should end here, or go on with and, or, until; found "x"; did you mean "always"?')
    wrong("always (a implies b)", 8, 'the bracket is not closed; found "implies"; did you mean "->"?')
    wrong("x == 'off", 6, "the quote is not closed")
    wrong("pump > 'off'", 1, "modes can be equal or not; write == or ~= instead of >")
    wrong("x. > 2", 1, '"x." is no path')
    wrong("3x > 2", 1, '"3x" is not a number')
    wrong("x > 1e999", 5, "1e999 is too large")
    wrong("", 1, "the formula is empty")
  end)

  it("is quoted around the column if it is long", function()
    local text = ("x > 1 and "):rep(1000) .. "y + 2" .. (" and z > 1"):rep(1000)
    local ok, message = pcall(grammar.parse, text)
    assert.is_false(ok)
    assert.is_true(#message < 400)
    assert.truthy(message:find('"...', 1, true))
    assert.truthy(message:find('x > 1 and y + 2 and z > 1', 1, true))
    assert.truthy(message:find('...", column 10001: and takes conditions, and "y + 2" is a number', 1, true))
  end)

  it("is quoted shortly, whatever is long in it", function()
    local long = ("y"):rep(5000)
    for _, words in ipairs { "x > 0 " .. long, long .. " + 2 and x > 0", "x > 3" .. long, "x > " .. ("9"):rep(5000),
      "x[1] > 0 or " .. long .. ". > 0", "not x + " .. long, "(x > 1) + " .. long, "f(" .. long .. ", ", "\xff" .. long,
      "x > '" .. long .. "'", "eventually[" .. long .. ",2] x > 0", ("é"):rep(5000) } do
      local ok, message = pcall(grammar.parse, words)
      assert.is_true(not ok and #message < 600, message)
      assert.truthy(utf8.len(message))
    end
  end)

  it("is refused where it is no text, no UTF-8, or too deep", function()
    fails('a formula must be a text like "always height > 0", got 3', function() grammar.parse(3) end)
    fails("is not valid UTF-8", function() grammar.parse "x > \xff" end)
    fails("nested more than 150 deep", function() grammar.parse(("("):rep(1e5) .. "x > 1" .. (")"):rep(1e5)) end)
    fails("nested more than 150 deep", function() grammar.parse(("not "):rep(1e5) .. "x > 1") end)
    fails("nested more than 150 deep", function() grammar.parse("x > " .. ("-"):rep(1e5) .. "1") end)
  end)

  it("is the same by functions", function()
    local f = saltus.formula
    local made = f.always(f.implies("level > 2", f.eventually("pump == 'off'", { 0, 0.3 })), { 1, math.huge })
    assert.equal(tree "always[1,inf] (level > 2 -> eventually[0,0.3] pump == 'off')", shape(made.root))
    assert.equal(tree "a and b and not c", shape(f.all("a", f.parse "b", f.negation "c").root))
    assert.equal(tree "(a or rise b) until[0,2] fall c",
      shape(f.holds_until(f.any("a", f.rise "b"), f.fall "c", { 0, 2 }).root))
    assert.equal(tree "a after never b", shape(f.after("a", f.never "b").root))
    fails("formula.always: an interval is { from, upto } in seconds", function() f.always("a", { 2, 1 }) end)
    fails("formula.any takes at least one condition", function() f.any() end)
  end)
end)
