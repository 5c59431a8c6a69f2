-- Assertions about runs, for busted:
--
--   require "saltus.busted"
--   assert.holds(scenario, "always height > -1e-6")
--   assert.event_at(scenario:run(), "touch", 1.427, 1e-3)
--
-- lua/saltus/testing/assertions.lua lists them. A run is a log, the result of a run, or a scenario, which then runs.
-- assert.is_not and assert.has_no negate.
local assertions = require "saltus.testing.assertions"

local has_luassert, luassert = pcall(require, "luassert")
if not has_luassert then
  error("saltus.busted needs busted for Lua 5.4: apt install lua-busted, or luarocks --lua-version=5.4 install "
    .. "busted", 2)
end
local say = require "say"

local MESSAGE = "assertion.saltus" -- the text is the only argument
say:set(MESSAGE, "%s")

-- An error about an argument names the line of the spec; names.fail found that of luassert.
local function raise_at_spec(wrong, level)
  if type(wrong) ~= "string" then error(wrong, 0) end
  for _, folder in ipairs { "luassert", "saltus" } do
    wrong = wrong:gsub(("^[^\n:]*/%s/[^\n:]*%%.lua:%%d+: "):format(folder), "")
  end
  error(wrong, level)
end

-- check(...) returns whether it holds, and a function that returns the text for the failure.
local function register(name, check)
  local function callback(state, arguments, level)
    local ran, holds, text, is_open = pcall(check, table.unpack(arguments, 1, arguments.n))
    if not ran then raise_at_spec(holds, level + 2) end
    if is_open then holds = not state.mod end -- the assertion and its negation fail
    if holds == state.mod then return holds end
    for i = 1, arguments.n do arguments[i] = nil end
    arguments[1], arguments.n, arguments.nofmt = text(), 1, { true }
    return holds
  end
  luassert:register("assertion", name, callback, MESSAGE, MESSAGE)
end

for _, one in ipairs(assertions) do register(one.name, one.check) end
register("hold", require("saltus.testing.formula_over_run").holds) -- assert.does_not.hold

return luassert
