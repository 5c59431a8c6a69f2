-- Forged saves of models in Lua: abstract values, modes, closures in Lua and such that do without it, logs that watch,
-- blocks. A few hundred here; `make stress` takes 5,000. Those of models in C: save_fuzz.c.
local saltus = require "saltus"
local xxh64 = require "spec.support.xxh64"
local random = require "spec.support.random"

local many = os.getenv "STRESS" and 5000 or 400

local function cart()
  return saltus.system {
    name = "cart", q = { { "x", 0 } }, v = { { "u", 1 } },
    discrete = { { "gear", "low", values = { "low", "high", "none" } }, { "due", 0.3 }, trips = 0 },
    abstract = { { "log", { {}, names = { "a", "b" }, [2.5] = true } }, { "note", "start" } },
    params = { { "kind", "soft", values = { "soft", "hard" } }, drag = 0.1 },
    derivatives = function(ctx, dot)
      dot.x, dot.u = ctx.u, (ctx.gear == "high" and -2 or -1) * ctx.x - ctx.drag * ctx.u
    end,
    events = {
      { name = "through", witness = function(ctx) return ctx.x end,
        unrestricted_update = function(ctx, next)
          next.trips = next.trips + 1
          next.log[1][#next.log[1] + 1] = { at = ctx.time, gear = ctx.gear, [ctx.trips] = next.random() }
          next.note = next.note .. "."
        end },
      { name = "shift", next_time = "due",
        discrete_update = function(ctx, next)
          next.gear = ctx.gear == "low" and "high" or "low"
          next.due = ctx.time + 0.4
        end },
      { name = "look", every = 0.25, publish = function(ctx) assert(type(ctx.note) == "string") end },
      { name = "ask", at = "demand", discrete_update = function(_, next) next.trips = 0 end },
    },
  }
end

local function chain()
  local blocks = saltus.blocks
  local d = saltus.diagram "chain"
  d:add(blocks.sine { frequency = 3 }, "sine")
  d:add(blocks.delay { delay = 0.2 }, "delay")
  d:add(blocks.relay { lower = -0.3, upper = 0.3 }, "relay")
  d:add(blocks.moving_average { samples = 4, period = 0.1 }, "mean")
  d:add(blocks.noise { period = 0.15 }, "noise")
  d:add(blocks.lag { time_constant = 0.5 }, "lag")
  for _, name in ipairs { "delay", "relay", "mean", "lag" } do d:connect("sine", name) end
  return d
end

local function runs_of(system, options, asks)
  options.max_steps_per_call = 10
  local sim = saltus.simulator(system, options)
  local log = saltus.log(sim)
  local saves = { sim:save() }
  for i = 1, 6 do
    if asks then sim:schedule(sim.context.time + 0.5, "ask") end
    sim:advance_to(sim.context.time + 0.17 * i)
    saves[#saves + 1] = sim:save()
  end
  return sim, saves, log
end

local fields = { "<i4", "<i8", "<d", "<d", "<B" }
local whole = { -1, 0, 1, 2, 5, 255, 1000, 2 ^ 31 - 1 | 0, -2 ^ 31 | 0, math.maxinteger, math.mininteger }
local real = { 0 / 0, math.huge, -math.huge, 0, -1, 3, 1e300, 1e-310, 1e9, 0.5 }

local function change(r, bytes, other)
  local at = 24 + r:integer(1, #bytes - 40)
  local what = r:integer(1, 8)
  if what == 1 then return bytes:sub(1, at) .. other:sub(at + 1) end
  if what == 2 then return bytes:sub(1, at) .. bytes:sub(at + r:integer(1, 60)) end
  if what == 3 then return bytes:sub(1, at) .. string.char(r:integer(1, 255)) .. bytes:sub(at + 2) end
  if what == 4 then -- between two letters that may open a plain value
    return bytes:sub(1, at) .. ("fisntx01"):sub(r:integer(1, 8), -1):sub(1, 1) .. bytes:sub(at + 2)
  end
  local how = fields[r:integer(1, #fields)]
  local number = how == "<d" and real[r:integer(1, #real)] or whole[r:integer(1, #whole)]
  if how == "<i4" then number = ("<i4"):unpack(("<i8"):pack(number)) end
  if how == "<B" then number = number & 255 end
  local field = how:pack(number)
  return bytes:sub(1, at) .. field .. bytes:sub(at + #field + 1)
end

describe("forged saves of models in Lua", function()
  for name, make in pairs {
    cart = function() return runs_of(cart(), {}, true) end,
    ["cart, implicit"] = function() return runs_of(cart(), { integrator = "radau5", accuracy = 1e-4 }) end,
    chain = function() return runs_of(chain(), {}) end,
  } do
    it("are rejected without a change, or continue: " .. name, function()
      local sim, saves = make()
      local r = random.new(7)
      local refused, ran = 0, 0
      for _ = 1, many do
        local bytes = saves[r:integer(1, #saves)]
        sim:load(bytes)
        local before = sim:hash()
        if pcall(sim.load, sim, xxh64.forge(change(r, bytes, saves[r:integer(1, #saves)]))) then
          ran = ran + 1
          for _ = 1, 2 do pcall(sim.advance_to, sim, sim.context.time + 0.3) end
          pcall(function() return sim.context.log, sim.context.gear, sim.context.note end)
        else
          refused = refused + 1
          assert.equal(before, sim:hash())
        end
      end
      assert.is_true(refused > 0 and ran > 0)
    end)
  end
end)
