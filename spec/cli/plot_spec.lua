-- Mirrors lua/saltus/cli/options/plot.lua: what a plot shows, from the command line.
local slurp = require "spec.support.slurp"

local program = (os.getenv "SALTUS_BUILD" or "build") .. "/bin/saltus"
local picture = os.tmpname()

local function run(options)
  local pipe = io.popen(("%s run examples/02-bouncing-ball.lua --duration 1 %s --plot %s.svg 2>&1"):format(program,
    options, picture))
  local text = pipe:read "a"
  local ok = pipe:close()
  return ok, text, ok and slurp(picture .. ".svg") or ""
end

local function count(text, part) return select(2, text:gsub(part, "")) end

teardown(function()
  os.remove(picture)
  os.remove(picture .. ".svg")
end)

describe("saltus run", function()
  it("draws the requested panels, in the file and on the terminal", function()
    local _, text, svg = run "--panel height,speed --panel speed"
    assert.equal(2, count(svg, 'class="frame"'))
    assert.matches("\n +height %[m%]\n", text)
    assert.equal(2, count(text, "\n +speed %[m/s%]\n"))
  end)

  it("draws one signal against another, and logarithmic axes", function()
    assert.matches(">height %[m%]</text>\n</svg>", select(3, run "--panel speed --x height"))
    local _, text = run "-q --log-axes y"
    assert.equal("", text)
  end)

  it("refuses names and axes before it runs", function()
    local ok, text = run "--panel hight"
    assert.is_nil(ok)
    assert.matches('%-%-panel, %-%-x: unknown name "hight" in this log; did you mean "height"', text)
    assert.is_nil(text:find("steps", 1, true))
    assert.matches('unknown name "sped"', select(2, run "--x sped"))
    assert.matches("%-%-log%-axes must be x, y or xy, got 'z'", select(2, run "--log-axes z"))
  end)
end)
