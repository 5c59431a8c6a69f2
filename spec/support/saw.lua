-- A saw whose rows the specs of logs count: x rises at rate 1 and falls from 1 to 0.
local saltus = require "saltus"

local saw = {}

function saw.new(more)
  local def = { name = "saw", z = { "x" }, discrete = { "n" }, outputs = { twice = function(ctx) return 2 * ctx.x end },
    derivatives = function(_, dot) dot.x = 1 end,
    events = { { name = "tooth", witness = function(ctx) return ctx.x - 1 end, direction = "rising",
      unrestricted_update = function(ctx, next) next.x = 0 next.n = ctx.n + 1 end } } }
  for k, v in pairs(more or {}) do def[k] = v end
  return saltus.system(def)
end


-- Options with steps of exactly 0.25 s.
saw.fixed = { integrator = "runge_kutta3", fixed_step = true, max_step = 0.25, context_accuracy = 1e-6 }

function saw.copy(sequence)
  local out = {}
  for i = 1, #sequence do out[i] = sequence[i] end
  return out
end

return saw
