-- Mirrors lua/saltus/simulation/context/view.lua: what a closure's ctx shows of itself. Contexts of a run:
-- context_spec.lua.
local saltus = require "saltus"

-- The system's closures, each showing its ctx once.
local function seen_by(show)
  local seen = {}
  local function look(who, ctx) seen[who] = seen[who] or show(ctx) end
  local s = saltus.system { name = "s", z = { { "x", 1 }, { "r", { 1, 2 } } }, params = { k = 3 },
    discrete = { { "mode", "a", values = { "a", "b" } } }, abstract = { { "queue", { 1, { 2 } } }, { "word", "w" } },
    inputs = { { "u", 4 } },
    outputs = { y = function(ctx) look("output", ctx) return ctx.x + ctx.u end },
    derivatives = function(ctx, dot) look("derivatives", ctx) dot.x, dot.r = 0, { 0, 0 } end,
    events = { { every = 1, publish = function(ctx) look("publish", ctx) end } } }
  saltus.simulator(s):advance_to(0.5)
  return seen
end

describe("a closure's ctx", function()
  it("has pairs: the time and all names with their values", function()
    local seen = seen_by(function(ctx)
      local list, at = {}, {}
      for name, value in pairs(ctx) do
        list[#list + 1] = name
        at[name] = type(value) == "table" and "table" or value
      end
      return { table.concat(list, " "), at }
    end)
    for _, who in ipairs { "derivatives", "publish" } do
      assert.same({ "time x r mode queue word k u y", { time = 0, x = 1, r = "table", mode = "a", queue = "table",
        word = "w", k = 3, u = 4, y = 5 } }, seen[who])
    end
    assert.equal("time x r mode queue word k u", seen.output[1])
  end)

  it("prints itself", function()
    local seen = seen_by(tostring)
    local text = "time = 0.0\nx = 1.0\nr = { 1.0, 2.0 }\nmode = a\nqueue = (table)\nword = w\nk = 3.0\nu = 4.0"
    assert.same({ text, text .. "\ny = 5.0", text .. "\ny = 5.0" }, { seen.output, seen.derivatives, seen.publish })
  end)
end)
