-- A host may open a Lua state without `debug`, `io` and `os`: saltus works there, compiles closures, and its one door
-- to files is shut.
local files = require "spec.support.house.files"

describe("saltus in a state without debug, io and os", function()
  local function run(program)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write('local write = io.write debug, io, os = nil, nil, nil\n',
      'for _, name in ipairs { "debug", "io", "os" } do package.loaded[name] = nil end\n', program)
    file:close()
    local pipe = assert(io.popen(("LUA_PATH='%s' LUA_CPATH='%s' %s %s 2>&1"):format(package.path, package.cpath,
      os.getenv "LUA" or "lua5.4", path)))
    local text = pipe:read "a"
    pipe:close()
    os.remove(path)
    return text
  end

  local MODEL = [[
    local saltus = require "saltus"
    local s = saltus.system { name = "s", z = { { "x", 1 } },
      derivatives = function(ctx, dot) dot.x = -ctx.x * math.exp(0) end,
      events = { { name = "tick", every = 0.5, discrete_update = function(ctx, next) end } } }
    local sim = saltus.simulator(s, { integrator = "runge_kutta4", max_step = 1e-2, fixed_step = true })
    local log = saltus.log(sim, { "x" })
  ]]

  it("runs models, and compiles their closures", function()
    local text = run(MODEL .. "sim:advance_to(2) write(('%.9f '):format(sim.context.x), tostring(sim:programs()))")
    assert.equal(("%.9f"):format(math.exp(-2)), text:match "^%S+")
    assert.matches("derivatives of \"s\"%s+program", text)
  end)

  it("writes no file", function()
    local text = run(MODEL .. "sim:advance_to(1) write(select(2, pcall(log.csv, log, '/tmp/never.csv')))")
    assert.matches("log:csv: /tmp/never.csv: the host of this script allows no files", text, 1, true)
  end)
end)

describe("files of lua/saltus", function()
  it("are opened by one module", function()
    local ways = { "io%.open", "io%.popen", "io%.lines", "io%.tmpfile", "os%.rename", "os%.remove", "os%.execute",
      "os%.tmpname", "loadfile%s*[%(\"']" }
    for _, path in ipairs(files.below("lua", ".lua")) do
      local text = path ~= "lua/saltus/util/files.lua" and files.read(path):gsub("%-%-[^\n]*", "") or ""
      for _, way in ipairs(ways) do
        assert.is_nil(text:match("%f[%w_]" .. way .. "[^\n]*"), path)
      end
    end
  end)
end)
