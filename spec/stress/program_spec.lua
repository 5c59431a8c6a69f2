-- Random closures run in Lua and as programs (lua/saltus/program): to the same bits, and with the same errors.
local saltus = require "saltus"
local random = require "spec.support.random"

-- While a hook is set no program runs.
local function in_lua(fn, ...)
  debug.sethook(function() end, "", 1 << 30)
  local answers = table.pack(pcall(fn, ...))
  debug.sethook()
  assert(table.unpack(answers, 1, answers.n))
end

-- What an error says, without the lines that it was met at.
local function words(object) return (tostring(object):gsub("^.-:%d+: ", ""):gsub("^.-:%d+: ", "")) end

local function simulator(derivatives)
  return saltus.simulator(saltus.system { name = "s", z = { { "u", { 0.5, -1.25, 2 } }, { "w", 0.75 } },
    params = { k = 1.5 }, derivatives = derivatives },
    { integrator = "runge_kutta4", max_step = 0.01, fixed_step = true })
end

describe("random closures", function()
  it("and their programs take a run through the same bits", function()
    local r = random.new(20261121)
    local function number() return ("%.17g"):format(r:real() * 4 - 2) end
    local leaves = { "x", "y", "ctx.w", "ctx.u[2]", "ctx.k", "ctx.time", "gain", "table_.at", "i", "2", "0", "1.5" }
    local expression
    local function operand(depth) return depth <= 0 and r:pick(leaves) or expression(depth - 1) end
    local function safe(depth) return ("(math.abs(%s) + 0.5)"):format(operand(depth)) end -- else most runs end in NaN
    function expression(depth)
      local kind = r:integer(1, 8)
      if kind <= 2 then return ("(%s %s %s)"):format(operand(depth), r:pick { "+", "-", "*" }, operand(depth)) end
      if kind == 3 then return ("(%s %s %s)"):format(operand(depth), r:pick { "/", "%", "//" }, safe(depth)) end
      if kind == 4 then return ("(%s ^ math.sin(%s))"):format(safe(depth), operand(depth)) end
      if kind == 5 then return ("(-%s)"):format(operand(depth)) end
      if kind == 6 then return ("math.%s(%s)"):format(r:pick { "sin", "abs", "floor", "ceil", "cos" },
        operand(depth)) end
      if kind == 7 then return ("(%s %s %s and %s or %s)"):format(operand(0), r:pick { "<", "<=", "==", "~=", ">" },
        operand(0), operand(depth), operand(depth)) end
      return ("helper(%s, %s)"):format(operand(depth), operand(depth))
    end
    local programs, many = 0, os.getenv "STRESS" and 3000 or 200
    for _ = 1, many do
      local text = ([[local gain, table_ = %s, { at = %d }
        local function helper(a, b) if a > b then return a - b end return a * 0.5 end
        return function(ctx, dot)
          local x, y, i = ctx.u[1], ctx.u[3], 1
          if %s < %s then x = %s else y = %s end
          for j = 1, 3 do i = i + j; dot.u[j] = math.sin(%s) end
          dot.w = math.cos(%s)
        end]]):format(number(), r:integer(-3, 3), operand(1), operand(1), expression(1), expression(1), expression(2),
        expression(3))
      local derivatives = assert(load(text))()
      local plain, sim = simulator(derivatives), simulator(derivatives)
      local ok, told = pcall(in_lua, plain.advance_to, plain, 0.5)
      local also_ok, also_told = pcall(sim.advance_to, sim, 0.5)
      assert.equal(ok, also_ok, text)
      if not ok then assert.equal(words(told), words(also_told), text) end
      assert.equal(plain:hash(), sim:hash(), text)
      local line = sim:programs()[1]
      assert.not_equal("its program answered otherwise", line.why, text)
      if line.state == "program" then programs = programs + 1 end
    end
    assert.is_true(programs > 0.9 * many, programs)
  end)
end)
