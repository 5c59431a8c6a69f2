-- Mirrors lua/saltus/util/whole_file.lua.
local command = require "spec.support.command"
local core = require "saltus.core"
local fails = require "spec.support.fails"
local whole_file = require "saltus.util.whole_file"

local at

before_each(function() at = command.new() end)

after_each(function() at:remove() end)

local function shell(line, ...)
  local pipe = io.popen(line:format(...))
  local text = pipe:read "a"
  pipe:close()
  return text
end

local function files() return shell("ls -A %s", at.folder) end

local function write(path, text) whole_file.write(path, "spec", function(put) put(text) end) end

describe("a file of results", function()
  it("stands as it was after an error while it is written", function()
    local path = at:write("a.csv", "old")
    fails("no more", whole_file.write, path, "spec", function(put)
      put(("half"):rep(10000))
      error("no more", 0)
    end)
    assert.equal("old", at:read "a.csv")
    fails("a number", whole_file.write, at:path "b.csv", "spec", function() error("a number", 0) end)
    assert.equal("a.csv\n", files())
  end)

  it("stands as it was after a full disk, and after a crash", function()
    at:write("model.lua", [[
local saltus = require "saltus"
return saltus.scenario { duration = 1, log = { "x", every = 1e-3 },
  system = saltus.system { name = "s", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end } }
]])
    for _, limit in ipairs { "trap '' XFSZ; ulimit -f 8;", "ulimit -f 8;" } do
      at:write("out.csv", "old")
      local run = ("-e 'os.exit(require(\"saltus.cli.main\").main(arg), true)' /dev/null run %s -q --csv %s"):format(
        at:path "model.lua", at:path "out.csv")
      local status = os.execute(("sh -c %q"):format(("%s %s %s 2>%s"):format(limit, at:interpreter(), run,
        at:path "err")))
      assert.is_not_true(status)
      assert.equal("old", at:read "out.csv")
    end
  end)

  it("keeps its permissions; a new one has those of any new file", function()
    local old, new, plain = at:write("old", "x"), at:path "new", at:path "plain"
    os.execute("chmod 600 " .. old)
    write(old, "y")
    write(new, "y")
    io.open(plain, "w"):close()
    assert.equal("600\n", shell("stat -c %%a %s", old))
    assert.equal(shell("stat -c %%a %s", plain), shell("stat -c %%a %s", new))
  end)

  it("is the one that a symbolic link leads to", function()
    at:write("real", "old")
    os.execute(("cd %s && mkdir sub && ln -s ../real sub/link && ln -s nothing sub/new"):format(at.folder))
    write(at:path "sub/link", "new")
    assert.equal("new", at:read "real")
    write(at:path "sub/new", "made")
    assert.equal("made", at:read "sub/nothing")
    assert.equal("sub/link: symbolic link\nsub/new: symbolic link\n", shell(
      "cd %s && for f in sub/link sub/new; do test -L $f && echo $f: symbolic link; done", at.folder))
  end)
end)

describe("a result that is no plain file", function()
  local writer = [[require("saltus.util.whole_file").write(%q, "spec", function(put) put "result\n" end) print "end"]]

  it("is written directly: standard output under any name, also that of its file", function()
    for _, path in ipairs { "-", "/dev/stdout", "/dev/fd/1", at:path "out" } do
      at:write("write.lua", writer:format(path))
      local _, out = at:lua(at:path "write.lua")
      assert.equal(7 + 4, #out, path)
      assert.is_truthy(out:find("result\n", 1, true) and out:find("end\n", 1, true), path)
    end
  end)

  it("may be a pipe, which is opened once", function()
    local path = at:path "pipe"
    os.execute("mkfifo " .. path)
    local reader = io.popen(("timeout 5 cat %s"):format(path))
    assert.is_true(core.process.can_write(path))
    write(path, "through the pipe")
    assert.equal("through the pipe", reader:read "a")
    reader:close()
    assert.equal("fifo\n", shell("stat -c %%F %s", path))
  end)

  it("may be a device, whose errors are named", function()
    write("/dev/null", "x")
    fails("spec: /dev/full: No space left on device", write, "/dev/full", "x")
    fails("no/such: No such file or directory", write, at:path "no/such", "x")
  end)
end)

describe("can_write", function()
  it("tells before a run what will fail after it", function()
    local can = core.process.can_write
    assert.is_true(can(at:path "new"))
    assert.is_true(can "new")
    assert.same({ nil, at.folder .. ": Is a directory" }, { can(at.folder) })
    for _, path in ipairs { at:path "no/such", "" } do assert.matches("No such file", select(2, can(path))) end
    assert.equal("", files())
  end)
end)
