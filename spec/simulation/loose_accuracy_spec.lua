-- Mirrors odd_accuracy in lua/saltus/simulation/errors.lua: a failure under an odd accuracy says so.
local saltus = require "saltus"

-- A root of what must not become negative: large steps overshoot.
local tank = saltus.system { name = "tank", z = { { "level", 1 } },
  derivatives = function(ctx, dot)
    if ctx.level < 0 then error "the level is negative" end
    dot.level = -2 * math.sqrt(ctx.level)
  end }

local function message_of(options, t)
  local ok, message = pcall(function() saltus.simulator(tank, options):advance_to(t or 2) end)
  assert.is_false(ok)
  return message
end

describe("the error of a run with a loose accuracy", function()
  it("explains it, whatever failed", function()
    local message = message_of { accuracy = 0.2 }
    assert.matches("the level is negative .*; the accuracy 0.2 is loose: each step may be wrong by 20 %% of the state",
      message)
    assert.matches("try a finer one, such as the default 1e%-6$", message)
  end)

  it("explains one that is finer than the rounding of numbers", function()
    assert.matches("; the accuracy 1e%-30 is finer than the rounding of numbers, 2.2e%-16, so no step is short enough",
      message_of { accuracy = 1e-30 })
  end)

  it("does not with a finer one, with fixed steps, or when no step failed", function()
    for _, options in ipairs { {}, { accuracy = 1e-3 }, { accuracy = 0.2, fixed_step = true, max_step = 0.3 } } do
      assert.is_nil(message_of(options):find "is loose")
    end
    assert.is_nil(message_of({ accuracy = 0.2 }, -1):find "is loose")
  end)
end)
