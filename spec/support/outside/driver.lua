-- Families by name, cases by seed; counts, and of a failure the smallest case that still shows it.
local case = require "spec.support.outside.case"
local plan = require "spec.support.outside.plan"
local run = require "spec.support.outside.run"

local driver = { families = {} }

driver.names = { "sawteeth", "balls", "sines", "neurons", "races", "guards", "chirps", "zeno", "chatters", "wheels",
  "conditions", "feeds", "hands", "turns" }
for _, name in ipairs(driver.names) do driver.families[name] = require("spec.support.outside.families." .. name) end

-- OUTSIDE_FORCE="event_state=interpolate": choices for every case.
local everywhere = select(3, plan.parse("any:0 " .. (os.getenv "OUTSIDE_FORCE" or "")))

function driver.run(name, seed, given)
  local forced = {}
  for _, choices in ipairs { everywhere, given or {} } do
    for key, choice in pairs(choices) do forced[key] = choice end
  end
  local p = plan.draw(name, driver.families[name], seed, forced)
  local built, made = pcall(function() return p.family.make(case.new(p)) end)
  if not built then return { events = 0, worst = 0, failure = { what = "not built", text = tostring(made) } }, p end
  return run.case(made), p
end

local function copy(t)
  local c = {}
  for k, v in pairs(t) do c[k] = v end
  return c
end

-- Choices are made plain, one after another, as long as it fails in the same way.
function driver.shrink(name, seed, forced, what)
  local small = copy(forced or {})
  for _, choice in ipairs(plan.plain) do
    local trial = copy(small)
    trial[choice[1]] = choice[2]
    local result = driver.run(name, seed, trial)
    if result.failure and result.failure.what == what then small = trial end
  end
  local result, p = driver.run(name, seed, small)
  return p, result
end

-- Until `enough(report)`: { seed, cases, events, failures = { { family, seed, what, text, small } }, by = counts }
function driver.search(seed, enough, only)
  local report = { seed = seed, cases = 0, events = 0, failures = {}, by = {}, worst = {} }
  local names = only and { only } or driver.names
  while not enough(report) do
    local number = seed * 1000000 + report.cases
    local name = names[report.cases % #names + 1]
    local result, p = driver.run(name, number)
    report.cases, report.events = report.cases + 1, report.events + result.events
    local of = report.by[name] or { cases = 0, events = 0, failed = 0 }
    of.cases, of.events = of.cases + 1, of.events + result.events
    report.by[name] = of
    report.worst[p.integrator] = math.max(report.worst[p.integrator] or 0, result.worst)
    if result.failure then
      of.failed = of.failed + 1
      report.failures[#report.failures + 1] = { family = name, seed = number, what = result.failure.what,
        text = result.failure.text, plan = p }
    end
  end
  return report
end

function driver.describe(failure)
  local p, result = driver.shrink(failure.family, failure.seed, {}, failure.what)
  return ("%s\n  %s: %s\n  small: OUTSIDE_CASE='%s'\n  %s: %s\n  all: %s"):format(
    ("OUTSIDE_CASE='%s:%d'"):format(failure.family, failure.seed), failure.what, failure.text, p:text(),
    result.failure and result.failure.what or "-", result.failure and result.failure.text or "-", failure.plan:tell())
end

return driver
