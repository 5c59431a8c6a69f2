-- A diagram of diagrams behaves as its parts in one flat diagram, in the same order: random models with events, random
-- draws, vectors and wires through several levels leave the same logs, to the bit. 100 models; `make stress` takes 500.
local cases = require "spec.support.cases"
local nests = require "spec.support.nests"

local many = math.max(20, cases(os.getenv "STRESS" and 500 or 100))

local function depth_of(tree)
  local deepest = 0
  for _, node in ipairs(tree) do
    if type(node) == "table" then deepest = math.max(deepest, 1 + depth_of(node)) end
  end
  return deepest
end

describe("a nested diagram and its flat twin", function()
  it("have the same logs", function()
    local events, depths, wired, failed = 0, {}, 0, 0
    for seed = 1, many do
      local scheme = nests.random(seed)
      local a, b = nests.run(scheme, nests.nested(scheme)), nests.run(scheme, nests.flat(scheme))
      for i = 1, math.max(#a, #b) do
        if a[i] ~= b[i] then assert.equal(b[i], a[i], ("seed %d, line %d"):format(seed, i)) end
        events = events + (a[i]:find " p%d+ e%d+$" and 1 or 0)
        failed = failed + (a[i]:find "^failed" and 1 or 0)
      end
      depths[depth_of(scheme.tree)] = true
      wired = wired + #scheme.wires
    end
    assert.is_true(depths[0] and depths[2] and depths[3]) -- there was something to see
    assert.is_true(events > 20 * many, events)
    assert.is_true(wired > many, wired)
    assert.is_true(failed < many / 4, failed)
  end)
end)
