-- Means of independent runs of the examples in examples/simpy/, and of their twins in SimPy.
local examples = require "spec.support.examples"
local theory = require "spec.queues.theory"

local comparison = {}

-- { quantity = { mean =, error = } } of `runs` runs with the seeds seed + 1, seed + 2, ...
function comparison.ours(model, runs, seed)
  local scenario, values = examples.scenario("simpy/" .. model), {}
  for i = 1, runs do
    local context = scenario:run({ seed = seed + i, log = false }).context
    for _, name in ipairs(scenario.measure) do
      values[name] = values[name] or {}
      values[name][i] = context[name]
    end
  end
  local out = {}
  for name, list in pairs(values) do
    local mean, err = theory.mean_and_error(list)
    out[name] = { mean = mean, error = err }
  end
  return out
end

-- The same from the lines of spec/queues/simpy_models.py, by model.
function comparison.read(text)
  local models = {}
  for model, name, mean, err in text:gmatch "(%S+) (%S+) %d+ (%S+) (%S+)\n" do
    models[model] = models[model] or {}
    models[model][name] = { mean = tonumber(mean), error = tonumber(err) }
  end
  return models
end

-- How far two means are from each other, in standard errors of their difference.
function comparison.distance(a, b) return math.abs(a.mean - b.mean) / math.sqrt(a.error ^ 2 + b.error ^ 2) end

return comparison
