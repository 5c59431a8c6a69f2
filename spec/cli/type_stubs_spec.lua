-- Mirrors lua/saltus/cli/type_stubs.lua and commands/types.lua: the stubs say what the tables say. `make types` runs a
-- type checker over them.
local command = require "spec.support.command"
local type_stubs = require "saltus.cli.type_stubs"

local text = type_stubs.text()

-- The lines of a class, without its head.
local function class(name)
  return text:match("\n%-%-%-@class saltus%." .. name:gsub("%.", "%%.") .. "%f[^%w.][^\n]*\n(.-)\n\n") or ""
end

local function check_fields(name, list)
  local names = text:match("\n%-%-%-@alias saltus%." .. name:gsub("%.", "%%.") .. "%.Name ([^\n]*)")
  for _, field in ipairs(list) do
    assert.is_truthy(class(name):find("---@field " .. field.name .. "? ", 1, true), name .. "." .. field.name)
    assert.is_truthy(("|" .. names .. "|"):find(('|"%s"|'):format(field.name), 1, true), name .. "." .. field.name)
  end
end

describe("type stubs", function()
  it("have every option and field of the tables that check them", function()
    local integrator_options = require "saltus.simulation.integrator_options"
    local options = require "saltus.simulation.options"
    check_fields("Options", options.simulator)
    check_fields("IntegratorOptions", integrator_options.integrator)
    check_fields("DelayBufferOptions", integrator_options.delay_buffer)
    check_fields("SystemFields", require("saltus.model.system").fields)
    check_fields("Event", require("saltus.model.event").fields)
    check_fields("ScenarioFields", require("saltus.simulation.scenario").fields)
    check_fields("ScenarioFields", options.simulator)
    check_fields("RunChanges", require("saltus.simulation.scenario").run_fields)
    check_fields("SweepFields", require("saltus.sweep").fields)
    check_fields("ForallFields", require("saltus.property").fields)
    check_fields("ForallFields", options.simulator)
    check_fields("LogOptions", require("saltus.output.log").options)
    check_fields("PlotOptions", require("saltus.output.plot").options)
    for _, kind in ipairs(require("saltus.blocks").kinds()) do
      check_fields("blocks." .. (kind.instead_of or kind.name), kind.options)
    end
  end)

  it("have every method of the help, and every name of the module", function()
    local help = require "saltus.cli.help"
    for kind, rows in pairs(help.methods) do
      local name = kind:gsub("^%l", string.upper)
      for _, row in ipairs(rows) do
        local method = row[1]:match "^[%w_]+"
        assert.is_truthy(class(name):find(("---@field %s fun(self: saltus.%s"):format(method, name), 1, true), method)
      end
    end
    local module = text:match "\n%-%-%-@class saltus\n(.-)\nlocal saltus"
    for name in pairs(require "saltus") do
      assert.is_truthy(module:find("---@field " .. name .. " ", 1, true), name)
    end
  end)

  it("are Lua that runs, in lines without control characters", function()
    assert.equal("table", type(assert(load(text))()))
    assert.is_nil(text:find "[^%C\n]")
  end)

  it("are written by saltus types, and by saltus new", function()
    local at = command.new()
    assert.equal(0, (at:run({ "types", at:path "stubs" })))
    assert.equal(text, at:read "stubs/saltus.lua")
    assert.equal(0, (at:run({ "new", "tank" }, { inside = true })))
    assert.equal(text, at:read "tank/types/saltus.lua")
    assert.matches('"workspace.library": %["types"%]', at:read "tank/.luarc.json")
    local status, _, err = at:run { "types", at:path "no/such" }
    assert.equal(1, status)
    assert.matches("no/such: No such file", err)
    at:remove()
  end)
end)
