-- Mirrors lua/saltus/util/module_path.lua: modules beside the scenario (its use from a main file: scenario_spec,
-- main_spec).
local module_path = require "saltus.util.module_path"

describe("a module in the same folder as a file", function()
  it("is found by require, with one search path", function()
    local before = package.path
    finally(function() package.path = before end)
    module_path.add_script_dir "some/where/file.lua"
    module_path.add_script_dir "some/where/file.lua"
    assert.equal("some/where/?.lua;some/where/?/init.lua;" .. before, package.path)
  end)
end)
