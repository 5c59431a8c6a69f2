-- A model whose closures meddle: a random one of two parts, for random calls.
local saltus = require "saltus"
local blocks = saltus.blocks

return function(w)
  local r = w.random
  local function meddle(ctx) w.meddle(ctx) end
  local has_p = r:chance(0.5)
  local a = saltus.system { name = "a",
    q = has_p and { { "p", 0 } } or nil, v = { { "v", { 1, 0 } } }, z = { { "x", 1 } },
    discrete = { { "n", 0 }, { "alarm", 0.35 }, { "mode", "on", values = { "on", "off" } } },
    abstract = { data = { {} } }, params = { rate = 0.5 }, inputs = { { "u", 0.25 } },
    outputs = { out = function(ctx) return ctx.x * 2 end },
    past = r:chance(0.4) and { x = 0.3 } or nil,
    derivatives = function(ctx, dot)
      if w.wild then meddle(ctx) end
      if has_p then dot.p = 0 end
      dot.v = { ctx.v[2], -ctx.v[1] }
      dot.x = (ctx.mode == "on" and -ctx.rate or ctx.rate) + ctx.u
    end,
    events = {
      { name = "start", at = "initialization", discrete_update = function(ctx, next) meddle(ctx) next.n = 1 end },
      { name = "tick", every = 0.1, discrete_update = function(ctx, next) meddle(ctx) next.n = next.n + 1 end },
      { name = "due", next_time = "alarm", unrestricted_update = function(ctx, next)
        meddle(ctx)
        next.alarm = ctx.time + 0.21
        next.data = { ctx.time }
        next.mode = ctx.mode == "on" and "off" or "on"
      end },
      { name = "cross", witness = function(ctx) meddle(ctx) return ctx.v[1] end,
        publish = function(ctx)
          meddle(ctx)
          if r:chance(0.05) then return saltus.fail "planned" end
        end },
      { name = "ask", at = "demand", unrestricted_update = function(ctx, next) meddle(ctx) next.x = ctx.x + 1 end },
      { name = "shout", at = "demand", publish = function(ctx) meddle(ctx) end },
    },
  }
  if r:chance(0.4) then -- without what p brings
    a = a:with { rate = 0.25 }
  end
  local d = saltus.diagram "d"
  d:add(a, "a")
  d:add(r:pick { blocks.delay { delay = 0.2 }, blocks.gain { gain = 0.5 }, blocks.zero_order_hold { period = 0.25 },
    blocks.lag { time_constant = 0.5 } }, "b")
  d:connect("a.x", "b.input")
  if r:chance(0.5) then d:connect("b.output", "a.u") end
  return d
end
