-- Random systems with random events and random deeds run in the engine and in its naive twin (spec/support/twin.lua):
-- the same handlers at the same bits of time see the same values, with the same statuses, failures and counters.
-- 1,000 schedules; `make stress` takes 10,000.
local cases = require "spec.support.cases"
local schemes = require "spec.support.schemes"
local worlds = require "spec.support.worlds"

local many = cases(os.getenv "STRESS" and 10000 or 1000)

-- The first seed of `from` .. `to` that differs, made small, in words; else how many were compared to their end.
local function compare(from, to, flowing)
  local through = 0
  for seed = from, to do
    local difference, cut_short = worlds.differ(schemes.random(seed, flowing))
    if difference then
      local least = schemes.shrink(schemes.random(seed, flowing), function(scheme)
        local fine, still = pcall(worlds.differ, scheme)
        return fine and still
      end)
      return nil, schemes.describe(least) .. "\n" .. worlds.differ(least)
    end
    through = through + (cut_short and 0 or 1)
  end
  return through
end

describe("the engine and its naive twin", function()
  it("agree on systems that only jump", function()
    local through, difference = compare(1, many // 2, false)
    assert.is_nil(difference)
    assert.equal(many // 2, through)
  end)

  it("agree on systems that also flow, with witnesses isolated and not", function()
    local through, difference = compare(100001, 100000 + many // 2, true)
    assert.is_nil(difference)
    assert.is_true(through >= 0.98 * (many // 2), through) -- firings that accumulate end a few
  end)
end)
