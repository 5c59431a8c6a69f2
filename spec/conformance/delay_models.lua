-- The hybrid delay problems, built by name: their switching is an event, so that it can be located.
-- Each returns the system, and the reference times of each of its events.
local models = {}

-- x' = -sign(x(t - 1)): the sign turns when the delayed value crosses zero.
models["bang-bang feedback with dead time 1"] = function(saltus)
  local system = saltus.system {
    name = "relay",
    z = { { "y", { 0.5 } } },
    discrete = { { "drive", -1 } },
    past = { y = 1 },
    derivatives = function(ctx, dot) dot.y = { ctx.drive } end,
    events = {
      { name = "flip", witness = function(ctx) return ctx.past.y(1)[1] end,
        discrete_update = function(ctx, next) next.drive = -ctx.drive end },
      { name = "zero", witness = function(ctx) return ctx.y[1] end, publish = function() end },
    },
  }
  return system, function(file) return { flip = file.reference.flips, zero = file.reference.zeros } end
end

-- Sampled state feedback whose command arrives 0.25 late.
models["sampled feedback with a dead time that is no multiple of the period"] = function(saltus)
  local system = saltus.system {
    name = "sampled",
    z = { { "y", { 1, 0 } } },
    discrete = { { "u", 0 } },
    past = { u = 0.25 },
    derivatives = function(ctx, dot) dot.y = { ctx.y[2], -0.5 * ctx.y[2] + ctx.past.u(0.25) } end,
    events = {
      { name = "sample", every = 0.1,
        discrete_update = function(ctx, next) next.u = -1.2 * ctx.y[1] - 0.9 * ctx.y[2] end },
    },
  }
  return system, function() return {} end, "u"
end

-- x' = (x(t/2) < 0 and 1 or -1) - x: switched when the delayed value crosses zero.
models["a right-hand side that switches on the sign of the delayed value (test set B2)"] = function(saltus)
  local system = saltus.system {
    name = "switched",
    z = { { "y", { 1 } } },
    discrete = { { "push", -1 } },
    past = { y = math.huge },
    derivatives = function(ctx, dot) dot.y = { ctx.push - ctx.y[1] } end,
    events = {
      { name = "switch", witness = function(ctx) return ctx.past.y(ctx.time / 2)[1] end,
        discrete_update = function(ctx, next) next.push = -ctx.push end },
    },
  }
  return system, function(file) return { switch = file.reference.switch_times } end
end

-- A thermostat whose heater obeys 1.5 late.
models["an on/off thermostat whose heater obeys 1.5 late"] = function(saltus)
  local system = saltus.system {
    name = "thermostat",
    z = { { "y", { 15 } } },
    discrete = { { "relay", "on", values = { "off", "on" } } },
    past = { relay = 1.5 },
    derivatives = function(ctx, dot)
      dot.y = { -0.1 * (ctx.y[1] - 10) + (ctx.past.relay(1.5) == "on" and 2 or 0) }
    end,
    events = {
      { name = "off", when = function(ctx) return ctx.relay == "on" end, direction = "rising",
        witness = function(ctx) return ctx.y[1] - 21 end,
        discrete_update = function(_, next) next.relay = "off" end },
      { name = "on", when = function(ctx) return ctx.relay == "off" end, direction = "falling",
        witness = function(ctx) return ctx.y[1] - 19 end,
        discrete_update = function(_, next) next.relay = "on" end },
    },
  }
  return system, function(file)
    local times = { off = {}, on = {} }
    for _, event in ipairs(file.reference.events) do
      local which = event.event:match "relay to (%d)"
      if which then table.insert(times[which == "0" and "off" or "on"], event.t) end
    end
    return times
  end
end

return models
