-- Mirrors lua/saltus/closure/programs.lua: who says that a closure is not to be compiled.
local saltus = require "saltus"
local both_ways = require "spec.support.both_ways"

local steps, line_of = both_ways.steps, both_ways.line_of

describe("compile = false", function()
  local function decay(compile)
    return saltus.system { name = "decay", z = { { "x", 1 } }, compile = compile,
      derivatives = function(ctx, dot) dot.x = -ctx.x end }
  end

  local function ran(system, options)
    local sim = saltus.simulator(system, { integrator = "runge_kutta4", max_step = 0.01, fixed_step = true,
      compile = options and options.compile })
    sim:advance_to(1)
    return line_of(sim, "derivatives"), sim:hash()
  end

  it("of a simulator keeps its closures in Lua, to the same bits", function()
    local compiled, hash = ran(decay())
    local line, same = ran(decay(), { compile = false })
    assert.equal("program", compiled.state)
    assert.same({ "lua", "the simulator has compile = false" }, { line.state, line.why })
    assert.equal(hash, same)
  end)

  it("of a system keeps its closures in Lua, and those of other systems not", function()
    assert.same({ "lua", "the system has compile = false" }, { ran(decay(false)).state, ran(decay(false)).why })
    local d = saltus.diagram "two"
    d:add(decay(false), "one")
    d:add(decay(), "other")
    local sim = saltus.simulator(d, steps)
    sim:advance_to(1)
    assert.equal("lua", line_of(sim, '"one"').state)
    assert.equal("program", line_of(sim, '"other"').state)
  end)

  it("gives way to a simulator that says true", function()
    assert.equal("program", ran(decay(false), { compile = true }).state)
  end)

  it("is refused unless it is a boolean", function()
    assert.error_matches(function() ran(decay(), { compile = 1 }) end, 'option "compile" must be a boolean, got 1')
    assert.error_matches(function() decay "no" end, 'system "decay": compile must be true or false, got "no"')
  end)

  it("is the environment's SALTUS_COMPILE=0, which systems and simulators override", function()
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write [[
      local saltus = require "saltus"
      for _, case in ipairs { {}, { system = true }, { simulator = true }, { system = true, simulator = false } } do
        local sim = saltus.simulator(saltus.system { name = "decay", z = { { "x", 1 } }, compile = case.system,
          derivatives = function(ctx, dot) dot.x = -ctx.x end },
          { integrator = "runge_kutta4", max_step = 0.01, fixed_step = true, compile = case.simulator })
        sim:advance_to(1)
        print(sim:programs()[1].state, sim:programs()[1].why)
      end]]
    file:close()
    local command = ("SALTUS_COMPILE=0 LUA_PATH='%s' LUA_CPATH='%s' %s %s"):format(package.path, package.cpath,
      os.getenv "LUA" or "lua5.4", script)
    local pipe = assert(io.popen(command))
    local text = pipe:read "a"
    pipe:close()
    os.remove(script)
    assert.equal("lua\tSALTUS_COMPILE is 0\nprogram\tnil\nprogram\tnil\nlua\tthe simulator has compile = false\n", text)
  end)
end)
