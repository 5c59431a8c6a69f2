-- saltus: simulation of hybrid systems, whose state changes continuously and in jumps.
--
--   local saltus = require "saltus"
--   local ball = saltus.system { name = "ball", ... }
--   local sim = saltus.simulator(ball, { accuracy = 1e-6 })
if tonumber(_VERSION:match "%d+%.%d+") < 5.4 then -- busted and other tools start another Lua on some systems
  error("saltus needs Lua 5.4, and this is " .. _VERSION .. "; with busted: busted --lua=lua5.4, or lua = \"lua5.4\" "
    .. "in .busted", 0)
end
local names = require "saltus.util.names"
local outcome = require "saltus.simulation.outcome"
local options = require "saltus.simulation.options"
local system = require "saltus.model.system"
local module_path = require "saltus.util.module_path"

local saltus = {
  version = { 0, 1, 0 },
  _VERSION = "saltus 0.1.0",
  system = system.new,
  options = options,
  terminate = outcome.terminate,
  fail = outcome.fail,
  did_nothing = outcome.did_nothing,
  math = require "saltus.math",
}

-- Loaded at first use, so that a short script starts fast.
local lazy = {
  simulator = function()
    return require("saltus.simulation.simulator").new
  end,
  diagram = function() return require("saltus.model.diagram").new end,
  log = function() return require("saltus.output.log").new end,
  integrator = function() return require("saltus.simulation.standalone_integrator").new end,
  delay_buffer = function() return require("saltus.simulation.delay_buffer").new end,
  scenario = function()
    local scenario = require "saltus.simulation.scenario"
    function scenario.run_program(...) return require("saltus.cli.main").run_program(...) end
    return scenario.new
  end,
  stories = function() return require("saltus.story").of end,
  group = function() return require("saltus.group").new end,
  sweep = function() return require("saltus.sweep").new end,
  forall = function() return require("saltus.property").new end,
  blocks = function() return require("saltus.blocks").constructors end,
  sandbox = function() return require("saltus.sandbox").new end,
  formula = function() return require "saltus.formula" end,
}

module_path.add_main_script_dir()

-- All names, for messages and type stubs.
local function all_names()
  local known = names.sorted_keys(lazy)
  for name in next, saltus do
    if not lazy[name] then known[#known + 1] = name end
  end
  return known
end

return setmetatable(saltus, {
  __name = "saltus.module",
  __index = function(t, key)
    local load_it = lazy[key]
    if not load_it then
      names.fail_unknown("name %s in saltus", key, all_names())
    end
    local value = load_it()
    rawset(t, key, value)
    return value
  end,
  __pairs = function(t)
    local list, i = all_names(), 0
    return function()
      i = i + 1
      if list[i] then return list[i], t[list[i]] end
    end
  end,
})
