-- Properties for specs: saltus.forall without a file and without errors, and a small model.
local saltus = require "saltus"

local forall = {}

-- Nothing is stored, and nothing raised, unless `def` says so.
function forall.run(def)
  if def.file == nil then def.file = false end
  if def.raise == nil then def.raise = false end
  return saltus.forall(def)
end

-- The definition of a property of a model that decays, with `more` fields.
function forall.decay(more)
  local def = { system = saltus.system { name = "decay", z = { { "x", 1 } }, params = { { "rate", 1 }, { "start", 1 } },
    discrete = { { "mode", "slow", values = { "slow", "fast", "broken" } } },
    derivatives = function(ctx, dot)
      if ctx.mode == "broken" then error "the pipe is broken" end
      dot.x = -ctx.rate * (ctx.mode == "fast" and 2 or 1) * ctx.x
    end }, duration = 1 }
  for key, value in pairs(more) do def[key] = value end
  return def
end

-- The list of values that holds will get, and the result.
function forall.seen(def)
  local seen = {}
  def.holds = function(values) seen[#seen + 1] = values end
  return seen, forall.run(def)
end

return forall
