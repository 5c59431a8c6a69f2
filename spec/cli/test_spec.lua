-- saltus test and saltus env, as processes: merged results, crashes, formats, filters, a project's folder, and signals.
local background = require "spec.support.background"
local command = require "spec.support.command"
local dkjson = require "dkjson"
local socket = require "socket"

local program = (os.getenv "SALTUS_BUILD" or "build") .. "/bin/saltus"

local passing = [[
describe("first #quick", function()
  it("adds", function() print("a line") assert.equal(3, 1 + 2) end)
  pending "later"
  it("fails", function() assert.equal(4, 1 + 2) end)
end)
]]
local second = [[
describe("second", function()
  it("is right", function() assert.is_nil(package.loaded.first) io.write "no end" end)
  it("has an error", function() error("why not") end)
end)
]]

-- Whatever can go wrong in a spec.
local odd = [[
describe("tests", function()
  it("one", function() finally(function() error "finally" end) end)
  it("two", function() pending "not yet" end)
  pending("three", function() end)
  it("four", function() error({ code = 3 }) end)
  it("five", function() error(setmetatable({}, { __tostring = function() return "as text" end })) end)
  it("six", function() assert.equal({ 1 }, { 1 }) end)
  it("seven", function() assert(false, "with a message\nof two lines") end)
  it("eight", function() error() end)
  it("nine", function() error("no position", 0) end)
end)
describe("before fails", function()
  before_each(function() error "before" end)
  it("is not run", function() end)
end)
describe("after fails", function()
  after_each(function() error "after" end)
  it("is run", function() end)
end)
describe("setup fails", function()
  setup(function() error "in setup" end)
  it("is not run", function() end)
end)
describe("teardown fails", function()
  teardown(function() error "in teardown" end)
  it("is run", function() end)
end)
describe("lazy", function()
  lazy_setup(function() assert.is_true(false) end)
  it("is not run either", function() end)
end)
insulate("insulated", function() it("is", function() x_global = 1 end) end)
expose("exposed", function() it("is too", function() end) end)
describe("errors", function() error "in a block" end)
describe("empty", function() end)
it("has 100% \"quotes\" \\ and\nlines", function() assert.is_nil(5) end)
context("context", function() spec("spec", function() end) test("test", function() end) end)
]]

local at, path_before

setup(function()
  path_before = package.path -- other specs add the folder spec/support, which has a busted.lua
  package.path = package.path:gsub("[^;]*spec/support/[^;]*;", "")
  at = command.new()
  for _, folder in ipairs { "p/spec/deep", "crash", "loop" } do os.execute("mkdir -p " .. at:path(folder)) end
  at:write("p/spec/a_spec.lua", passing)
  at:write("p/spec/deep/b_spec.lua", second)
  at:write("p/spec/none.lua", "error 'not a spec'")
  at:write("p/model.lua", "return 7")
  at:write("p/spec/c_spec.lua", 'it("runs in the folder", function() assert.equal(7, dofile "model.lua") end)')
end)

teardown(function()
  package.path = path_before
  at:remove()
end)

describe("saltus test", function()
  it("merges the results of all files in their order, for any -j", function()
    local status, out = at:saltus("test", at:path "p", "-o", "TAP")
    assert.equal(1, status)
    assert.matches("^a line\nok 1 %- first #quick adds\nok 2 %- # SKIP first #quick later\nnot ok 3 %- first #quick "
      .. "fails\n.-ok 4 %- runs in the folder\n.*no endok 5 %- second is right\nnot ok 6 %- second has an error\n.*\n"
      .. "1%.%.6\n$", out)
    for _, jobs in ipairs { "2", "8" } do
      assert.same({ 1, out }, { (at:saltus("test", at:path "p", "-o", "TAP", "-j", jobs)), at:read "out" })
    end
  end)

  it("reports whatever happens as busted itself does", function()
    local file = at:write("loop/odd_spec.lua", odd)
    for _, format in ipairs { "TAP", "plainTerminal" } do
      local function without_times(text) return (text:gsub("%d+%.%d+ seconds", ""):gsub("0x%x+", "0x")) end
      local _, wanted = at:lua(("%s/spec/support/busted.lua --ignore-lua -v -o %s %s"):format(at.here, format, file))
      local status, out = at:saltus("test", file, "-v", "-o", format)
      assert.equal(1, status)
      assert.equal(without_times(wanted), without_times(out))
      assert.is_true(#out > 3000)
    end
    os.remove(file)
  end)

  it("passes filters, tags and formats on", function()
    local function names_of(...)
      local status, out = at:saltus("test", at:path "p", "-o", "json", ...)
      local list, results = {}, dkjson.decode(out:match "{.*")
      for _, kind in ipairs { "successes", "pendings", "failures", "errors" } do
        for _, one in ipairs(results[kind]) do list[#list + 1] = one.name end
      end
      return status, list
    end
    assert.same({ 0, { "first #quick adds" } }, { names_of("--filter", "adds") })
    assert.same({ 0, { "runs in the folder", "second is right" } },
      { names_of("--exclude-tags", "quick", "--filter-out", "error") })
    assert.same({ 1, { "first #quick adds", "first #quick later", "first #quick fails" } }, { names_of("-t", "quick") })
    assert.same({ 0, { "runs in the folder" } }, { names_of("-p", "^c_spec") })
    local _, out = at:saltus("test", at:path "p", "--list", "--filter", "is right")
    assert.matches("^[^\n]*second is right\n$", out)
  end)

  it("counts a property that fails among the failures, with its text", function()
    local file = at:write("loop/property_spec.lua", [[
it("is small", function()
  require("saltus").forall { params = { n = { integer = { 0, 100 } } }, file = false,
    holds = function(values) return values.n < 50 end }
end)
it("is known", function() require("saltus").forall { parms = {} } end)]])
    local status, out = at:saltus("test", file)
    assert.equal(1, status)
    assert.matches("0 successes / 1 failure / 1 error ", out)
    assert.matches("Failure %-> [^\n]*property_spec.lua @ 1\nis small\n[^\n]*property_spec.lua:2: saltus.forall: the "
      .. "property of n fails: holds returned false\n  with n = 50\n", out)
    os.remove(file)
  end)

  it("writes junit to a file", function()
    local file = at:path "results.xml"
    local status, out = at:saltus("test", at:path "p", "-o", "junit", "--output-file", file)
    assert.same({ 1, "a line\n" }, { status, out:match "a line\n" })
    local text = at:read "results.xml"
    assert.matches("errors='1'", (text:gsub('"', "'")))
    assert.matches("failures='1'", (text:gsub('"', "'")))
    assert.matches("tests='6'", (text:gsub('"', "'")))
    assert.matches("why not", text)
  end)

  it("carries the text of saltus.busted in TAP and junit", function()
    at:write("loop/holds_spec.lua", [[
require "saltus.busted"
local saltus = require "saltus"
local fill = saltus.system { name = "fill", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end }
it("is bounded", function() assert.holds(saltus.scenario { system = fill, duration = 2 }, "always x < 1.5") end)
]])
    local _, tap = at:saltus("test", at:path "loop/holds_spec.lua", "-o", "TAP")
    assert.matches("# Failure message: .-holds_spec.lua:4: does not hold: always x < 1.5\n#   margin %-0.5 at t = 2 s; "
      .. "first fails at t = 1.5 s\n.-\n# *x, 1.5\n", tap)
    for line in tap:gmatch "[^\n]+" do assert.matches("^#", line:gsub("^not ok 1.*", "#"):gsub("^1%.%.1$", "#"), 1) end
    local _, xml = at:saltus("test", at:path "loop/holds_spec.lua", "-o", "junit")
    assert.matches("<failure>.-does not hold: always x &lt; 1.5.-▴ here: x &lt; 1.5", xml)
    os.remove(at:path "loop/holds_spec.lua")
  end)

  it("tries a stored case of saltus.forall first", function()
    at:write("loop/forall_spec.lua", [[
it("is small", function()
  require("saltus").forall { name = "small", params = { n = { integer = { 0, 1000 } } },
    holds = function(values) return values.n < 700 end }
end)
]])
    local _, first = at:saltus("test", at:path "loop/forall_spec.lua", "-o", "TAP")
    assert.matches("fails.*with n = 700.*found by random samples.*forall_spec.failing has it", first)
    local _, again = at:saltus("test", at:path "loop/forall_spec.lua", "-o", "TAP")
    assert.matches("with n = 700.*found by a stored case, case 1", again)
    os.remove(at:path "loop/forall_spec.lua")
  end)

  it("shows a process that ends early as an error of its test, and goes on", function()
    at:write("crash/a_spec.lua", 'it("passes", function() end) it("exits", function() os.exit(7) end)')
    at:write("crash/b_spec.lua", 'it("dies", function() local f = io.open "/proc/self/stat"\n'
      .. 'os.execute("kill -9 " .. f:read "n") while true do end end)')
    at:write("crash/c_spec.lua", "it(")
    at:write("crash/d_spec.lua", 'os.exit(0)')
    at:write("crash/e_spec.lua", 'it("still runs", function() end)')
    local status, out = at:saltus("test", at:path "crash", "-o", "TAP", "-j", "2")
    assert.equal(1, status)
    assert.matches("ok 1 %- passes\nnot ok 2 %- exits\n.-a_spec.lua: the process of this file ended with exit status 7 "
      .. "before its specs did\nnot ok 3 %- dies\n.-b_spec.lua: the process of this file ended by signal 9 .-"
      .. "not ok 4 .-unexpected symbol.-not ok 5 .-d_spec.lua: .- with exit status 0 .-ok 6 %- still runs\n1%.%.6", out)
  end)

  it("says what is missing", function()
    at:fails(1, "there is no file or folder nothing; 'saltus test DIR' runs", "test", "nothing")
    at:fails(1, "there is no file or folder /dev/null; ", "test", "/dev/null")
    at:fails(2, "%-%-filter must be a Lua pattern, got '%[': malformed pattern", "test", "--filter", "[")
    at:fails(2, "%-%-pattern must be a Lua pattern, got '%(': unfinished capture", "test", "-p", "(")
    at:fails(1, "no file matches the pattern _spec in", "test", at:path "loop")
    at:fails(1, "cannot load the output format 'xyz'", "test", at:path "p", "-o", "xyz")
    at:fails(1, "no test ran", "test", at:path "p", "--filter", "nonsense")
    at:fails(2, "%-%-worker is for processes", "test", "--worker", "x")
    at:fails(2, "%-%-jobs must be a whole number from 1 to 1024", "test", "-j", "0")
    at:fails(1, "%-%-output%-file: .*: No such file", "test", at:path "p", "--output-file", at:path "no/x")
    local status, _, err = at:lua([[-e 'package.preload["busted.core"] = function()
        error("module \x27busted.core\x27 not found", 0)
      end
      os.exit(require("saltus.cli.main").main { "test" })' ]])
    assert.equal(1, status)
    assert.equal("saltus: saltus test needs busted for Lua 5.4: apt install lua-busted, or luarocks --lua-version=5.4 "
      .. "install busted\n", err)
  end)

  it("has no limit on what specs print", function()
    at:write("loop/big_spec.lua", 'it("prints", function() for i = 1, 40000 do print("line", i) end end)')
    at:write("loop/wide_spec.lua", 'it("prints", function() print(("x"):rep(300000)) end)')
    local status, out = at:saltus("test", at:path "loop/big_spec.lua", at:path "loop/wide_spec.lua", "-j", "2")
    assert.equal(0, status)
    assert.matches("line\t40000\n", out)
    assert.matches(("x"):rep(1000), out)
    assert.matches("2 successes", out)
  end)

  it("runs with the program, again at each save, until a signal ends it", function()
    at:write("p/spec/c_spec.lua", 'it("runs in the folder", function() assert.equal(7, dofile "model.lua") end)')
    local running <close> = background.start(("%s test %s --watch -o TAP --filter folder"):format(program, at:path "p"))
    assert.truthy(running:wait_for "ok 1 %- runs in the folder.*waiting until a file in")
    at:write("p/model.lua", "return 7.5 -- another size")
    assert.truthy(running:wait_for "waiting.*not ok 1 %- runs in the folder.*waiting")
    at:write("p/model.lua", "return 7")
    assert.equal(143, running:finish "TERM")
  end)

  it("takes its processes along when a signal ends it", function()
    at:write("loop/big_spec.lua", ('it("loops", function() local f = io.open "/proc/self/stat" local out = '
      .. 'io.open(%q, "w") out:write(f:read "n") out:close() while true do end end)'):format(at:path "pid"))
    local running <close> = background.start(("%s test %s"):format(program, at:path "loop/big_spec.lua"))
    local pid
    for _ = 1, 200 do
      local file = io.open(at:path "pid")
      pid = file and file:read "n"
      if file then file:close() end
      if pid then break end
      socket.sleep(0.02)
    end
    assert.truthy(pid)
    assert.equal(143, running:finish "TERM")
    local function lives()
      local file = io.open(("/proc/%d/stat"):format(pid))
      local state = file and file:read("a"):match "%) (%a)"
      if file then file:close() end
      return state and state ~= "Z"
    end
    for _ = 1, 200 do
      if not lives() then break end
      socket.sleep(0.02)
    end
    assert.is_falsy(lives())
  end)
end)

describe("saltus env", function()
  it("prints lines by which Lua finds the module, and which may be evaluated twice", function()
    local function absolute(file) return file:find "^[^/]+/" and at.here .. "/" .. file or file end
    local script = at:write("try.sh", ([[
unset LUA_PATH LUA_CPATH LUA_PATH_5_4 LUA_CPATH_5_4
cd /
eval "$(%s env)"
first="$LUA_PATH $LUA_CPATH"
eval "$(saltus env)"
[ "$first" = "$LUA_PATH $LUA_CPATH" ] && echo same
%s -e 'print(require("saltus")._VERSION, require("saltus.core").version)'
]]):format(absolute(program), absolute(os.getenv "SALTUS_LUA" or "lua5.4")))
    local pipe = io.popen("sh " .. script .. " 2>&1")
    local said = pipe:read "a"
    pipe:close()
    assert.matches("^same\nsaltus (%d+%.%d+%.%d+)\t%d+%.%d+%.%d+\n$", said)
  end)
end)
