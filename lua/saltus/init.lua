-- saltus: hybrid systems, states that flow and states that jump, through time.
--
--   local saltus = require "saltus"
--   local ball = saltus.system { name = "ball", ... }
--   local sim = saltus.simulator(ball, { accuracy = 1e-6 })
local names = require "saltus.names"
local outcome = require "saltus.outcome"
local options = require "saltus.options"
local scenario = require "saltus.scenario"
local system = require "saltus.system"
local diagram = require "saltus.diagram"
local log = require "saltus.log"

local saltus = {
  version = { 0, 1, 0 },
  _VERSION = "saltus 0.1.0",
  system = system.new,
  diagram = diagram.new,
  log = log.new,
  scenario = scenario.new,
  options = options,
  terminate = outcome.terminate,
  fail = outcome.fail,
  did_nothing = outcome.did_nothing,
}

-- When first used: the compiled engine is loaded; what is not there yet says so.
local lazy = {
  simulator = function()
    local simulator = require "saltus.simulator"
    return type(simulator) == "table" and simulator.new or simulator
  end,
  blocks = function()
    names.fail "saltus.blocks: ready-made blocks have no Lua face in this version; write a saltus.system, or use C"
  end,
}

scenario.look_beside_main()

return setmetatable(saltus, {
  __index = function(t, key)
    local load_it = lazy[key]
    if not load_it then return nil end
    local value = load_it()
    rawset(t, key, value)
    return value
  end,
})
