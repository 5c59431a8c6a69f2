-- Mirrors lua/saltus/closure/string_constants.lua: the words in a system's closures.
local string_constants = require "saltus.closure.string_constants"
local saltus = require "saltus"

local function helper(ctx) return ctx.helped == "through_an_upvalue" end

local s = saltus.system { name = "s", z = { "x" }, outputs = { y = function(ctx) return ctx.of_output end },
  derivatives = function(ctx, dot)
    dot.x = ctx.of_derivatives + (function() return ctx.nested end)()
  end,
  events = {
    { every = 1, when = function(ctx) return ctx.of_when end, publish = function(ctx)
      print("two words", [[forty letters and more are one long string]], ctx.a, ctx.of_handler)
      return helper(ctx) and nil
    end },
  } }

describe("string constants", function()
  it("of handlers are their names and those of the functions that they call", function()
    local words = string_constants.of_handlers(s)
    for _, word in ipairs { "a", "of_handler", "helped", "through_an_upvalue", "print" } do
      assert.is_true(words[word], word)
    end
    for _, word in ipairs { "two words", "of_when", "of_derivatives", "of_output", "handler", "ctx" } do
      assert.is_nil(words[word], word)
    end
  end)

  it("of all are those of every closure", function()
    local words = string_constants.of_all(s)
    for _, word in ipairs { "of_handler", "helped", "of_when", "of_derivatives", "nested", "of_output" } do
      assert.is_true(words[word], word)
    end
  end)

  it("have letters as long as names are", function()
    local long = ("n"):rep(40)
    local fn = load("return function(ctx) return ctx." .. long .. " end")()
    assert.is_true(string_constants.of_handlers { events = { { handler = fn } } }[long])
  end)
end)
