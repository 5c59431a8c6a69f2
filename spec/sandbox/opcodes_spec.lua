-- A Lua whose bytecode is another one than that of Lua 5.4: its closures run in Lua, and a run says so once. A compiler
-- that computes with more digits than double is refused.
local function output(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "a"
  return text, pipe:close()
end

describe("a Lua with other bytecode", function()
  it("is noticed by a probe: closures run in Lua, with the same bits, and a run says so once", function()
    local program = [[
      local other = ...
      local core = require "saltus.core"
      local dump = core.dump
      if other == "other" then core.dump = function() return dump(function() end) end end
      local saltus = require "saltus"
      local warned = 0
      for i = 1, 2 do
        local s = saltus.system { name = "s", z = { { "x", 1 } },
          derivatives = function(ctx, dot) dot.x = -ctx.x / i end }
        local sim = saltus.simulator(s, { integrator = "runge_kutta4", max_step = 1e-2, fixed_step = true })
        sim:advance_to(2)
        for _, w in ipairs(sim.warnings) do if w.kind == "not_compiled" then warned = warned + 1 end end
        print(sim:hash() .. " " .. (tostring(sim:programs()):gsub("%s+", " ")))
      end
      print(warned)]]
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(program)
    file:close()
    local command = ("LUA_PATH='%s' LUA_CPATH='%s' %s %s "):format(package.path, package.cpath,
      os.getenv "LUA" or "lua5.4", path)
    local compiled, not_compiled = output(command .. "same"), output(command .. "other")
    os.remove(path)
    local hash = compiled:match "^(%x+) derivatives of \"s\" program"
    assert.is_truthy(hash, compiled)
    assert.equal(hash, not_compiled:match("^(%x+) derivatives of \"s\" lua the bytecode of this Lua is not that of "
      .. "Lua 5.4"), not_compiled)
    assert.equal("1", not_compiled:match "(%d+)\n$")
    assert.equal("0", compiled:match "(%d+)\n$")
  end)
end)

describe("a compiler for the x87", function()
  local CC = "i686-linux-gnu-gcc -std=c11 -Isrc -Isrc/include -fsyntax-only src/base/status.c "

  it("is refused, and one for SSE2 is not", function()
    if not os.execute "command -v i686-linux-gnu-gcc >/dev/null" then
      return pending "i686-linux-gnu-gcc is not installed"
    end
    local said, ok = output(CC)
    assert.is_nil(ok)
    assert.matches("the x87 computes with more digits", said)
    assert.is_truthy(select(2, output(CC .. "-msse2 -mfpmath=sse")))
  end)
end)
