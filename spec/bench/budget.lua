-- budget.lua [ROUNDS]: processor time of compiled closures in a sandbox with a budget, and in a state without limits;
-- medians of interleaved runs.
local saltus = require "saltus"

local models = {
  lorenz = [[
    local saltus = require "saltus"
    local lorenz = saltus.system { name = "lorenz", z = { { "x", 1 }, { "y", 1 }, { "w", 1 } },
      derivatives = function(ctx, dot)
        dot.x, dot.y = 10 * (ctx.y - ctx.x), ctx.x * (28 - ctx.w) - ctx.y
        dot.w = ctx.x * ctx.y - 8 / 3 * ctx.w
      end }
    saltus.simulator(lorenz):advance_to(20000)]],
  ball = [[
    local saltus = require "saltus"
    local ball = saltus.system { name = "ball", q = { { "height", 1 } }, v = { "speed" },
      derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -9.81 end,
      events = { { name = "touch", direction = "falling", witness = function(ctx) return ctx.height end,
        unrestricted_update = function(ctx, next) next.speed = -ctx.speed end } } }
    saltus.simulator(ball):advance_to(100000)]],
}

local function seconds(run)
  local began = os.clock()
  assert(run())
  return os.clock() - began
end

local function in_sandbox(text)
  local box = saltus.sandbox { budget = 1e12, seconds = 0, memory = 256e6 }
  local taken = seconds(function() return box:run(text, "model.lua", 1e12) end)
  box:close()
  return taken
end

local function without(text)
  return seconds(function()
    load(text)()
    return true
  end)
end

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2]
end

for _, name in ipairs { "lorenz", "ball" } do
  local limited, free = {}, {}
  for i = 1, tonumber(arg[1]) or 7 do
    limited[i], free[i] = in_sandbox(models[name]), without(models[name])
  end
  print(name .. "_limited " .. median(limited))
  print(name .. "_free " .. median(free))
end
