-- Mirrors src/engine/reentrance_test.c: whatever closure is running, from inside of it the run is not moved, changed or
-- continue, with a message that says so, and reading changes nothing. Each method in the help is here.
local saltus = require "saltus"
local help = require "saltus.cli.help"
local sorted_keys = require "spec.support.sorted_keys"

local refusals = { "a closure cannot advance it", "a closure cannot schedule events", "between calls" }

-- false: it may be called. Else it is refused.
local calls = {
  initialize = function(sim) sim:initialize() end,
  advance_to = function(sim) sim:advance_to(9) end,
  advance_pending_events = function(sim) sim:advance_pending_events() end,
  advance_frame = function(sim) sim:advance_frame(0.001) end,
  steps = function(sim) sim:steps(9)() end,
  schedule = function(sim) sim:schedule(9, "ask") end,
  cancel = function(sim) sim:cancel(1) end,
  demand = function(sim) sim:demand "ask" end,
  feed = function(sim) sim:feed("u", 9, 1) end,
  watch = function(sim) sim:watch(function() return -1 end) end,
  unwatch = function(sim) sim:unwatch(1) end,
  set_integrator = function(sim) sim:set_integrator "radau5" end,
  configuration = function(sim) sim:configuration { max_step = 1 } end,
  set_context_accuracy = function(sim) sim:set_context_accuracy(1) end,
  state_at = function(sim) sim:state_at(sim.context.time) end,
  sampled = function(sim) sim:sampled() end,
  save = function(sim) sim:save() end,
  load = function(sim) sim:load "" end,
  clone = function(sim) sim:clone() end,
  copy_from = function(sim) sim:copy_from(sim) end,
  recorder = function(sim) sim:recorder({}, 1) end,
  time_rhs = function(sim) sim:time_rhs(1) end,
  ["context.x ="] = function(sim) sim.context.x = 1 end,
  ["context.time ="] = function(sim) sim.context.time = 1 end,
  ["witness:value"] = function(sim) sim:witness("cross"):value() end,
  ["integrator:set_"] = function(sim) sim.integrator:set_maximum_step_size(1) end,
  ["saltus.log"] = function(sim) saltus.log(sim, { "x" }) end,
}

local progress -- what is told of it, again

local allowed = {
  pacing = function(sim) sim:pacing() end,
  interrupt = function(sim) sim:interrupt() end,
  halt = function(sim) sim:halt() end,
  next_time = function(sim) sim:next_time() end,
  witness = function(sim) sim:witness "cross" end,
  window = function(sim) sim:window() end,
  hash = function(sim) sim:hash() end,
  difference = function(sim) sim:difference(sim) end,
  on_progress = function(sim) sim:on_progress(progress) end,
  programs = function(sim) sim:programs() end,
  ["configuration()"] = function(sim) sim:configuration() end,
  ["context.x"] = function(sim) return sim.context.x, sim.context.time end,
  ["fields"] = function(sim)
    return sim.stats.steps, sim.status, sim.failure, sim.warnings, sim.actual_realtime_rate
  end,
  ["stats:reset"] = function(sim) sim.stats:reset() end,
  ["integrator"] = function(sim) return sim.integrator:get_num_steps_taken(), tostring(sim.integrator) end,
  ["monitor ="] = function(sim) sim.monitor = sim.monitor end, -- luacheck: ignore
  ["publish_every_step ="] = function(sim) sim.publish_every_step = false end,
  ["target_realtime_rate ="] = function(sim) sim.target_realtime_rate = 0 end,
  tostring = function(sim) return tostring(sim), tostring(sim.context) end,
}

local function model(poke)
  local function poked(kind, fn)
    return function(...)
      poke(kind)
      return fn(...)
    end
  end
  return saltus.system {
    name = "s", z = { { "x", 1 }, { "y", 0 } }, discrete = { { "n", 0 }, { "alarm", 0.35 } }, inputs = { { "u", 0 } },
    past = { x = 0.2 }, history = poked("history", function() return { x = 1 } end),
    outputs = { out = poked("output", function(ctx) return 2 * ctx.x end) },
    derivatives = poked("derivatives", function(ctx, dot)
      dot.x, dot.y = ctx.y + 0 * ctx.out, -ctx.x - 0.1 * ctx.past.x(0.1) + ctx.u
    end),
    project = poked("project", function(ctx, next) next.x = ctx.x end),
    events = {
      { name = "start", at = "initialization", discrete_update = poked("initialization", function() end) },
      { name = "cross", witness = poked("witness", function(ctx) return ctx.x end),
        when = poked("when", function() return true end),
        unrestricted_update = poked("unrestricted_update", function(_, next) next.y = 1.1 * next.y end) },
      { name = "turn", becomes = poked("becomes", function(ctx) return ctx.y > 0.2 end),
        publish = poked("publish", function() end) },
      { name = "tick", every = 0.25,
        discrete_update = poked("discrete_update", function(_, next) next.n = next.n + 1 end) },
      { name = "next", next_time = poked("next_time", function(ctx) return (ctx.time * 2 // 1 + 1) / 2 end),
        publish = function() end },
      { name = "ask", at = "demand", publish = function() end },
    },
  }
end

local function is_refusal(wrong)
  for _, words in ipairs(refusals) do
    if tostring(wrong):find(words, 1, true) then return true end
  end
end

-- The run's bytes at its end, and what went wrong on the way.
local function run(method, pokes)
  local sim, met, problems, depth = nil, {}, {}, 0
  local function poke(kind)
    if not pokes or not sim or depth > 0 or (met[kind] or 0) >= 12 then return end
    depth = 1
    met[kind] = (met[kind] or 0) + 1
    for name, call in pairs(calls) do
      local ok, wrong = pcall(call, sim)
      if ok or not is_refusal(wrong) then problems[name .. " from " .. kind .. ": " .. tostring(wrong)] = true end
    end
    for name, call in pairs(allowed) do
      local ok, wrong = pcall(call, sim)
      if not ok then problems[name .. " from " .. kind .. ": " .. tostring(wrong)] = true end
    end
    depth = 0
  end
  local made = saltus.simulator(model(poke), { integrator = method, max_step = 0.1 })
  made.monitor = function() poke "monitor" end
  local log = saltus.log(made, { "x", seen = function(ctx) poke "log" return ctx.time end, every = 0.07 })
  progress = function() poke "progress" end
  made:on_progress(progress)
  sim = made
  local function go(t) repeat local status = made:advance_to(t) until status.reason == "reached_boundary_time" end
  go(1)
  local before = met.output
  met.output = nil -- it is asked again, from an output that is read between two calls
  made.context.y = made.context.y
  assert.near(2 * made.context.x, made.context.out, 0)
  if pokes then assert.equal(1, met.output) end
  met.output = before
  go(8)
  sim = nil
  return made:save(), table.concat(sorted_keys(problems), "\n"), met, #log.time
end

describe("from inside of a closure", function()
  for _, method in ipairs { "tsitouras5", "dormand_prince8", "auto" } do
    it("a run can be read, but not advanced: " .. method, function()
      local calm, _, _, rows = run(method, false)
      local poked, problems, met, rows_too = run(method, true)
      assert.equal("", problems)
      assert.equal(rows, rows_too)
      assert.is_true(calm == poked)
      for _, kind in ipairs { "history", "output", "derivatives", "project", "initialization", "witness", "when",
        "unrestricted_update", "becomes", "publish", "discrete_update", "next_time", "monitor", "log", "progress" } do
        assert.is_true((met[kind] or 0) > 0, kind .. " was not met")
      end
    end)
  end

  it("each method in the help is either allowed or rejected", function()
    for _, row in ipairs(help.methods.simulator) do
      local name = row[1]:match "^[%w_]+"
      assert.is_true((calls[name] or allowed[name]) ~= nil, name .. " is not in this spec")
    end
  end)
end)
