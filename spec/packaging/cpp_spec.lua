-- saltus.hpp: its own checks, and the program of docs/installing.md.
local output_of = require("spec.support.examples").output_of
local slurp = require "spec.support.slurp"

local build = os.getenv "SALTUS_BUILD" or "build"
local FLAGS = " -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -pthread "

local function has(command) return (os.execute("command -v " .. command .. " >/dev/null 2>&1")) end

describe("saltus.hpp", function()
  if build:find "asan" or build:find "sundials" then return end -- the library needs others
  local folder = os.tmpname()
  os.remove(folder)

  setup(function()
    assert(os.execute(("mkdir -p %s/saltus && cp src/include/saltus/*.h packaging/saltus.hpp %s/saltus"):format(folder,
      folder)))
  end)
  teardown(function() os.execute("rm -rf " .. folder) end)

  local function run(compiler, source)
    local text, ok = output_of(("%s %s -I%s %s %s/lib/libsaltus.a -lm -o %s/program && %s/program"):format(compiler,
      FLAGS, folder, source, build, folder, folder))
    assert.is_true(ok, text)
    return text
  end

  for _, compiler in ipairs { "c++", "clang++" } do
    if has(compiler) then
      it("has the results of closed forms, and throws what lambdas threw: " .. compiler, function()
        assert.matches("^[1-9]%d* passed, 0 failed\n$", run(compiler, "spec/packaging/hpp_test.cpp"))
      end)
    end
  end

  if has "c++" then
    it("has the sample of docs/installing.md, which prints what the page says", function()
      local page = slurp "docs/installing.md"
      local file = assert(io.open(folder .. "/sample.cpp", "w"))
      file:write((page:match "```cpp\n(.-)```"))
      file:close()
      assert.equal(page:match "prints `([^`]+)`" .. "\n", run("c++", folder .. "/sample.cpp"))
    end)
  end

  it("needs nothing but the standard library and saltus.h", function()
    for mark, name in slurp "packaging/saltus.hpp":gmatch '#include ([<"])([^>"]+)' do
      assert.is_true(mark == "<" and not name:find "%." or name == "saltus.h", name)
    end
  end)
end)
