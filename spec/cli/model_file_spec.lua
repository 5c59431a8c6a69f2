-- Mirrors lua/saltus/cli/model_file.lua: files that are no scenario, and scenario files under plain lua.
local commands = require "spec.support.command"
local models = require "spec.support.model_files"

local at

setup(function() at = commands.new(models) end)

teardown(function() at:remove() end)

local function write(name, text) return at:write(name, text) end

local function lua(arguments) return at:lua(arguments) end

local function saltus(...) return at:saltus(...) end

describe("a file that is no scenario", function()
  it("is named in the error", function()
    local path = write("deep.lua", "return " .. ("("):rep(1000) .. "1" .. (")"):rep(1000))
    local status, _, err = saltus("run", path)
    assert.equal(1, status)
    assert.is_truthy(err:find("saltus: " .. path, 1, true))
    local mute = "error(setmetatable({}, { __tostring = function() error 'x' end }))"
    status, _, err = saltus("run", write("mute.lua", mute))
    assert.equal(1, status)
    assert.matches("^saltus: .*mute.lua: an error object whose __tostring fails", err)
  end)

  local function refused(path, pattern)
    for _, command in ipairs { "run", "check" } do
      local status, out, err = saltus(command, path)
      assert.same({ 1, "" }, { status, out })
      assert.matches(pattern, err)
      assert.is_nil(err:find "traceback")
    end
  end

  it("may be a pipe, and begin with a line for the shell", function()
    local path = write("shell.lua", "#!/usr/bin/env saltus\n" .. models["ball.lua"])
    for _, how in ipairs { ("run %s -q"):format(path), ("run /dev/stdin -q <%s"):format(path),
      ("run /dev/stdin -q < <(printf '\\xEF\\xBB\\xBF'; cat %s)"):format(path),
      ("sweep /dev/stdin -q --runs 2 < <(cat %s)"):format(path) } do
      at:write("pipe.sh", ("LUA_PATH='%s;%s/?.lua' LUA_CPATH='%s' %s -e '%s' /dev/null %s\n"):format(
        at:absolute(package.path), at.folder, at:absolute(package.cpath), at:interpreter(),
        'os.exit(require("saltus.cli.main").main(arg), true)', how))
      local pipe = assert(io.popen("bash " .. at:path "pipe.sh" .. " 2>&1"))
      assert.equal("", pipe:read "a")
      assert.is_true(pipe:close())
    end
  end)

  it("is missing", function() refused(at:path "none.lua", "saltus: cannot read .*none.lua: No such file") end)

  it("is a folder", function() refused(at.folder, "saltus: cannot read") end)

  it("has no end", function() refused("/dev/zero", "cannot read /dev/zero: it is no regular file, and") end)

  it("is compiled, or fails without a message", function()
    refused(write("compiled.lua", string.dump(function() end)), "compiled.lua is compiled Lua; give its source")
    refused(write("wordless.lua", "error()"), "wordless.lua: an error without a message")
  end)

  it("has a syntax error", function()
    refused(write("syntax.lua", "local x = = 3\n"), "saltus: .*syntax.lua:1: unexpected symbol near '='")
  end)

  it("raises an error", function()
    refused(write("boom.lua", 'error "boom"\n'), "saltus: .*boom.lua:1: boom")
  end)

  it("returns something else, or nothing", function()
    refused(write("three.lua", "return 3\n"), "three.lua returned 3; it should")
    refused(write("empty.lua", ""), "empty.lua returned nothing; it should")
  end)

  it("describes a wrong system", function()
    refused(write("wrong.lua", 'require("saltus").system { name = "b", derivativs = 1 }\n'),
      'wrong.lua:1: unknown field "derivativs" in system "b"; did you mean "derivatives"')
  end)
end)

describe("a scenario file under plain lua", function()
  it("has the line of its return in errors of the scenario, as under the command", function()
    local text = 'local saltus = require "saltus"\nlocal s = saltus.system { name = "s", discrete = { "x" } }\n'
      .. "return saltus.scenario { system = s, %s }\n-- return\n"
    local program = ("%s/bin/saltus run"):format(os.getenv "SALTUS_BUILD" or "build")
    for field, message in pairs { ["duraton = 1"] = 'saltus.scenario: unknown field "duraton"',
      ["duration = -1"] = "saltus.scenario: duration must be", ['log = { "y" }'] = 'saltus.log: unknown name "y"',
      ['integrator = "rk4"'] = 'saltus.scenario: unknown integrator "rk4"; did you mean "runge_kutta4"' } do
      local path = write("fields.lua", text:format(field))
      local status, _, err = lua(path)
      assert.equal(1, status)
      assert.matches("^%S*lua%S*: %S*/fields.lua:3: " .. message, err)
      local pipe = io.popen(("%s %s 2>&1"):format(program, path))
      assert.matches("^saltus: .*/fields.lua:3: " .. message, pipe:read "a")
      pipe:close()
    end
  end)

  it("runs itself, with the same options, and finds modules in its folder", function()
    local status, out, err = lua(at:path "ball.lua --duration 0.1")
    assert.equal("", err)
    assert.equal(0, status)
    assert.matches("ball: reached 0.1 s in", out)
  end)

  it("is only returned when another file requires it", function()
    local path = write("driver.lua", [[
local saltus = require "saltus"
local s = require "ball"
print(s:run({ duration = 0.1 }).status.time, saltus._VERSION)
]])
    local status, out = lua(path)
    assert.equal(0, status)
    assert.equal("0.1\tsaltus 0.1.0\n", out)
  end)

  it("runs when the file ends with a name that holds the scenario", function()
    local text = models["ball.lua"]:gsub("return saltus.scenario (%b{})%s*$",
      'local sc = saltus.scenario %1\nprint "made"\n%%s')
    local path = write("named.lua", text:format "return sc -- the end\n")
    local status, out = lua(path .. " --duration 0.1")
    assert.equal(0, status)
    assert.matches("^made\nball: reached 0.1 s in", out)
    status, out = lua(write("uses.lua", 'require "saltus"\nlocal sc = require "named"\n'
      .. "print(sc:run({ duration = 0.1 }).status.time)\nreturn sc\n"))
    assert.same({ 0, "made\n0.1\n" }, { status, out }) -- made by another file
    status, out = lua(write("kept.lua", (text:format "return { sc }")))
    assert.same({ 0, "made\n" }, { status, out })
    status, out = lua(write("stopped.lua", (text:format 'error "no"\nreturn sc\n')))
    assert.same({ 1, "made\n" }, { status, out })
  end)

  it("exits with 1 when it fails", function()
    local path = write("fails.lua", [[
local saltus = require "saltus"
local s = saltus.system { name = "s", events = { { at = "initialization", publish = function() error "no" end } } }
return saltus.scenario { system = s, duration = 1 }
]])
    local status, _, err = lua(path)
    assert.equal(1, status)
    assert.matches("fails.lua:2: no", err)
  end)
end)
