-- Mirrors lua/saltus/init.lua: under an older Lua the first words say which one is wanted; a script loads what it uses.
describe("require \"saltus\"", function()
  it("under another Lua says so, and how busted finds the right one", function()
    local chunk = assert(loadfile("lua/saltus/init.lua", "t", setmetatable({ _VERSION = "Lua 5.1" }, { __index = _G })))
    local ok, message = pcall(chunk)
    assert.is_false(ok)
    assert.equal('saltus needs Lua 5.4, and this is Lua 5.1; with busted: busted --lua=lua5.4, or lua = "lua5.4" in '
      .. ".busted", message)
  end)
end)

-- The names of all modules that are loaded after a ball has bounced, with a log and values that the script writes and
-- reads.
local SCRIPT = [[
local saltus = require "saltus"
local ball = saltus.system {
  name = "ball", q = { { "height", 1, unit = "m" } }, v = { { "speed", 0 } }, inputs = { { "wind", 0 } },
  derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, ctx.wind - 9.81 end,
  events = { { name = "bounce", witness = function(ctx) return ctx.height end, direction = "falling",
    unrestricted_update = function(ctx, next) next.height, next.speed = 0, -0.8 * ctx.speed end } },
}
local sim = saltus.simulator(ball, { accuracy = 1e-8 })
sim.context.wind = 0.1
local log = saltus.log(sim, { "height", every = 0.1 })
sim:advance_to(1)
assert(sim.context.height > 0 and #log:times "bounce" == 1)
for name in pairs(package.loaded) do io.write(name, "\n") end
]]

local function quote(text) return "'" .. text:gsub("'", [['\'']]) .. "'" end

describe("a script without mistakes", function()
  it("loads neither the texts of errors nor what few runs use", function()
    local pipe = assert(io.popen(("LUA_PATH=%s LUA_CPATH=%s %s -e %s 2>&1"):format(quote(package.path),
      quote(package.cpath), os.getenv "SALTUS_LUA" or "lua5.4", quote(SCRIPT))))
    local text = pipe:read "a"
    pipe:close()
    assert.matches("\nsaltus%.simulation%.simulator\n", text)
    for _, name in ipairs { "util.messages", "util.suggest", "util.serialize", "simulation.errors",
      "simulation.simulator_methods", "simulation.integrator_options", "simulation.context.abstract_values",
      "closure.diagnostics", "closure.vector_writer", "closure.programs", "model.model_queries",
      "model.other_values" } do
      assert.is_nil(text:find("saltus." .. name, 1, true), name)
    end
  end)
end)
