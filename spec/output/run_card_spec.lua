-- Mirrors lua/saltus/output/run_card.lua: what made a result, and the command that makes it again.
local saltus = require "saltus"
local run_card = require "saltus.output.run_card"
local dkjson = require "dkjson"
local slurp = require "spec.support.slurp"

local walk = saltus.system {
  name = "walk", discrete = { "position" }, z = { { "age", 0 } }, params = { "width", { "r", { 0, 0 } } },
  derivatives = function(_, dot) dot.age = 1 end,
  events = { { name = "hop", every = 0.5, discrete_update = function(ctx, next)
    next.position = ctx.position + (ctx.width > 0 and ctx.width * (next.random() - 0.5) or 0)
  end } },
}

local program = (os.getenv "SALTUS_BUILD" or "build") .. "/bin/saltus"

local function scenario(more)
  local fields = { system = walk, duration = 2, log = { "position", "age" } }
  for key, value in pairs(more or {}) do fields[key] = value end
  return saltus.scenario(fields)
end

local function run(changes, file)
  local s = scenario()
  s.file = file
  local result = s:run(changes)
  return result, run_card.of(result.sim, { log = result.log, status = result.status })
end

local function row_of(card, label)
  for _, row in ipairs(run_card.rows(card)) do
    if row[1] == label then return row[2] end
  end
end

describe("a run card", function()
  it("says what ran, how, and how it ended", function()
    local result, card = run { seed = 7, set = { width = 2 } }
    assert.same({ "walk", require("saltus.core").version, 7, 0, 2, 2, "reached_boundary_time" }, { card.scenario,
      card.version, card.seed, card.start, card.stop, card.time, card.reason })
    assert.equal(result.stats.steps, card.statistics.steps)
    assert.same({ width = 2 }, card.set)
    local fired = result.log:times "hop"
    assert.same({ { name = "hop", count = #fired, first = fired[1], last = fired[#fired] } }, card.events)
    assert.equal(1e-6, card.accuracy)
    assert.same({ "tsitouras5" }, card.methods)
    assert.equal("auto: tsitouras5", row_of(card, "integrator"))
  end)

  it("counts the random numbers that the run drew", function()
    local result, card = run { set = { width = 2 } }
    assert.equal(#result.log:times "hop", card.random_numbers)
    assert.equal(("0, %d random numbers"):format(card.random_numbers), row_of(card, "seed"))
    assert.equal("0; no random number was drawn", row_of(select(2, run()), "seed"))
  end)

  it("has the command that runs it again, quoted for a shell", function()
    assert.is_nil(select(2, run()).command)
    local _, card = run({ seed = -7, duration = 0.1 + 0.2, set = { width = 1e-6, r = { 1, 2 } } }, "it's here.lua")
    assert.equal([[saltus run 'it'\''s here.lua' --duration 0.30000000000000004 --seed=-7 --set r=1,2 ]]
      .. "--set width=1e-6", card.command)
    assert.is_nil(select(2, run({ max_events_per_instant = 7 }, "walk.lua")).command) -- no option says so
  end)

  it("knows the options of saltus run that change a scenario", function()
    local known, there = {}, {}
    for _, flag in ipairs(run_card.flags) do known[flag[1]] = flag[2] end
    for _, option in ipairs(require "saltus.cli.run_options") do
      if option.change then there[option.change] = option.name end
    end
    assert.same(there, known)
  end)

  it("runs again to the same end by its command", function()
    local dir = os.tmpname()
    os.remove(dir)
    local path, csv = dir .. ".lua", dir .. ".csv"
    local file = assert(io.open(path, "w"))
    file:write [[
      local saltus = require "saltus"
      return saltus.scenario { duration = 2, log = { "x" }, system = saltus.system { name = "d", z = { { "x", 1 } },
        params = { "rate", "noise" }, derivatives = function(ctx, dot) dot.x = -ctx.rate * ctx.x end,
        events = { { name = "kick", every = 0.3, unrestricted_update = function(ctx, next)
          next.x = ctx.x + ctx.noise * next.random:normal() end } } } }]]
    file:close()
    local s = assert(loadfile(path))()
    s.file = path
    local result = s:run { seed = 11, set = { rate = 1 / 3, noise = 0.1 } }
    local card = run_card.of_log(result.log)
    assert.is_true(os.execute(card.command:gsub("^saltus", program) .. " -q --csv " .. csv))
    local last = slurp(csv):match ",([^,\r\n]+)\r\n$"
    assert.equal(result.context.x, tonumber(last))
    os.remove(path)
    os.remove(csv)
  end)

  it("has a line in what saltus run prints: its seed, if random numbers were drawn", function()
    local function printed(file)
      local pipe = assert(io.popen(("%s run examples/%s --seed 12 --duration 1"):format(program, file)))
      return pipe:read "a", pipe:close()
    end
    assert.matches("\n  seed 12: %d+ random numbers drawn; %-%-seed chooses another\n",
      (printed "15-networked-control.lua"))
    assert.is_nil(printed "02-bouncing-ball.lua":find("seed", 1, true))
  end)

  it("is one JSON object, and the first line of JSON Lines", function()
    local result, card = run({ seed = 3, set = { width = 1 } }, "walk.lua")
    local path = os.tmpname()
    result.log:jsonl(path)
    local first = slurp(path):match "^[^\n]+"
    os.remove(path)
    local there = dkjson.decode(first).run_card
    assert.same({ "walk", "walk.lua", 3, 1, "saltus run walk.lua --seed 3 --set width=1" },
      { there.scenario, there.file, there.seed, there.set.width, there.command })
    assert.equal(card.statistics.steps, there.statistics.steps)
    assert.equal("hop", there.events[1].name)
  end)

  it("is a table on a page, with all texts escaped", function()
    local _, card = run({}, "<b>.lua")
    card.more = { { "shard", "2 of <7>" } }
    local html = run_card.html(card)
    assert.is_nil(html:find("<b>", 1, true))
    assert.truthy(html:find("<th scope=\"row\">shard</th><td>2 of &lt;7&gt;</td>", 1, true))
  end)

  it("names options that are not their defaults, and leaves out the accuracy of fixed steps", function()
    local result = scenario { fixed_step = true, max_step = 0.25, integrator = "runge_kutta4" }:run {}
    local card = run_card.of(result.sim)
    assert.is_nil(card.accuracy)
    assert.same({ fixed_step = true, max_step = 0.25 }, card.options)
    assert.equal("fixed_step = true, max_step = 0.25", row_of(card, "other options"))
  end)
end)

describe("the shortest text of a number", function()
  local shortest = require("saltus.util.numerals").shortest
  it("reads back as the same number", function()
    assert.same({ "5", "7", "1e-6", "1e20", "-0.1", "0.30000000000000004" },
      { shortest(5.0), shortest(7), shortest(1e-6), shortest(1e20), shortest(-0.1), shortest(0.1 + 0.2) })
  end)
end)
