-- Models nobody here wrote: random hybrid systems whose events are known from closed forms, crossed with integrators,
-- accuracies, start times, options, and what a host does between two advances. Every event once, in its turn and its
-- time, seen from the far side; no false Zeno. (spec/support/outside: a file for each family.)
--   make stress                                      a minute
--   OUTSIDE=3600 SEED=7                              so many seconds, other models
--   OUTSIDE_CASE='balls:1000049 deeds=none'          one case again, with choices forced; OUTSIDE_FORCE: for all cases
--   OUTSIDE_FAMILY=balls                             one family alone
local share = require "spec.support.cases"
local driver = require "spec.support.outside.driver"
local judge = require "spec.support.outside.judge"
local numbers = require "spec.support.outside.numbers"
local plan = require "spec.support.outside.plan"

local seconds = tonumber(os.getenv "OUTSIDE")
local cases = share(os.getenv "STRESS" and 4000 or 150)

local function enough(report)
  if seconds then return os.clock() > seconds end
  return report.cases >= cases
end

-- One of each kind of failure, with the smallest case that shows it.
local function tell(report)
  local told, words = {}, {}
  for _, failure in ipairs(report.failures) do
    local kind = failure.family .. failure.what
    if not told[kind] then words[#words + 1] = driver.describe(failure) end
    told[kind] = true
  end
  return table.concat(words, "\n")
end

describe("models from outside", function()
  local one = os.getenv "OUTSIDE_CASE"
  if one then
    it(one, function()
      local result, p = driver.run(plan.parse(one))
      io.write(p:tell(), "\n")
      if result.failure then error(result.failure.what .. ": " .. result.failure.text, 0) end
    end)
    return
  end

  it("have every event once, in order, on time, on the far side", function()
    local report = driver.search(math.tointeger(tonumber(os.getenv "SEED" or 1)), enough, os.getenv "OUTSIDE_FAMILY")
    if seconds or os.getenv "STRESS" then
      io.write(("outside: seed %d, %d cases, %d events, %d failures\n"):format(report.seed, report.cases, report.events,
        #report.failures))
    end
    assert.is_true(report.events > 20 * report.cases)
    if #report.failures > 0 then
      error(("seed %d: %d of %d cases fail\n%s"):format(report.seed, #report.failures, report.cases, tell(report)), 0)
    end
  end)
end)

-- Cases that once failed: readings closer than the rounding of the time, after an event far from 0; stiffness that was
-- seen in the rounding of a step of 40 ulp; a crossing at the very end of a step whose event rounding put there;
-- a slope from a level that rounding had left; a bounce that the ulp of the time put far below its floor; a witness
-- that rounding showed on its near side in a step of 1e-14 s, and that fired there once more; an update in such a step
-- that seemed to turn the flow back; a crossing between an ulp and the ulp that a witness was left at.
describe("a model from outside that once failed", function()
  for _, text in ipairs { "sines:1000431", "sines:1001809", "hands:1005264", "chirps:1010302", "conditions:12000426",
    "conditions:12001427", "sawteeth:20261128114730", "balls:1001429", "balls:20261230046565",
    "balls:350002048343", "turns:350001030953",
    "turns:77001049235", "turns:77001019976" } do
    it("has every event once: " .. text, function()
      local result = driver.run(plan.parse(text))
      if result.failure then error(result.failure.what .. ": " .. result.failure.text, 0) end
    end)
  end
end)

-- Judges that never find anything would be worth nothing.
describe("the judge of models from outside", function()
  local function verdict(times, now, witnesses)
    local clock = { name = "w", due = 1, sign = 1, tol = 1e-9 }
    clock.after = function() return clock.due + 1, 1, 1e-9 end
    local log = { n = #times, t = times, name = {}, w = witnesses or {} }
    for i = 1, #times do log.name[i] = "w" end
    local self = judge.new { clocks = { clock }, named = { w = clock }, log = log, ulp = function(_, t)
      return numbers.ulp(t)
    end }
    local ok, err = pcall(self.feed, self, now, 1e-8)
    return ok or err.what
  end

  it("finds events that are lost, doubled, early, late, out of order or on the wrong side", function()
    assert.is_true(verdict({ 1, 2, 3 }, 3.5))
    assert.equal("lost", verdict({ 1, 2 }, 3.5))
    assert.equal("late", verdict({ 1, 3 }, 3.5))
    assert.equal("doubled", verdict({ 1, 1 + 1e-9, 2, 3 }, 3.5))
    assert.equal("early", verdict({ 1, 1.5, 2, 3 }, 3.5))
    assert.equal("late", verdict({ 1, 2 + 5e-9, 3 }, 3.5))
    assert.equal("misordered", verdict({ 1, 2, 2 - 1e-10 }, 3.5))
    assert.equal("wrong side", verdict({ 1, 2 }, 2.5, { 0, -1e-18 }))
  end)
end)
