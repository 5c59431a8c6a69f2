-- What holds for every example.
local saltus = require "saltus"
local examples = require "spec.support.examples"

local scenario, output_of = examples.scenario, examples.output_of

describe("every example", function()
  local names, files = {}, output_of "ls examples/*.lua examples/*/*.lua"
  for path in files:gmatch "examples/(%S+)%.lua" do names[#names + 1] = path end

  -- While a hook is set no closure runs as a program (saltus.closure.compiler).
  local function hash(name, in_lua)
    local def = scenario(name)
    local sim = saltus.simulator(def.system, def.options)
    if in_lua then debug.sethook(function() end, "", 1 << 30) end
    local ok, message = pcall(sim.advance_to, sim, def.duration or 1)
    debug.sethook()
    assert(ok, message)
    return sim:hash()
  end

  for _, name in ipairs(names) do
    it("has the same bits in Lua and as programs: " .. name, function()
      local hashes = examples.quietly(function() return { hash(name, true), hash(name, false) } end)
      assert.equal(hashes[1], hashes[2])
    end)
  end

  for _, name in ipairs(names) do
    it("runs without a warning: " .. name, function()
      local result = examples.quietly(function() return scenario(name):run() end)
      assert.same({}, result.sim.warnings)
    end)
  end

  it("has a spec, as every host has", function()
    local specs = examples.output_of "cat spec/examples/*_spec.lua"
    for path in examples.output_of("ls examples/*.lua examples/*/*.lua examples/hosts/*.c"):gmatch "%S+" do
      local name = path:match "([^/]+)%.%w+$"
      assert.is_truthy(specs:find(name, 1, true), path .. " has no spec")
    end
    local of_folders = examples.output_of "cat spec/hosts/*_spec.lua spec/*/hosts_spec.lua"
    for name in examples.output_of("ls -d examples/hosts/*/"):gmatch "hosts/([^/]+)/" do
      assert.is_truthy(of_folders:find(name, 1, true), "examples/hosts/" .. name .. " has no spec")
    end
  end)
end)
