-- The library as one file: `make amalgamation` in a folder of its own.
local output_of = require("spec.support.examples").output_of
local slurp = require "spec.support.slurp"

local folder = os.tmpname()
os.remove(folder)

local function run(command) return output_of("cd " .. folder .. " && " .. command .. " 2>&1") end
local function has(command) return (os.execute("command -v " .. command .. " >/dev/null 2>&1")) end

describe("the amalgamation", function()
  local files = output_of "find src/base src/numerics src/tape src/model src/engine src/blocks -name '*.c' | sort"
  local sources = {}
  for path in files:gmatch "%S+" do
    if not path:find "_test%.c$" and not path:find "/sundials/" then sources[#sources + 1] = path end
  end

  setup(function()
    local text, ok = output_of("env -u MAKELEVEL -u MAKEFLAGS -u SUNDIALS make -s amalgamation LUA=" ..
      (os.getenv "SALTUS_LUA" or "lua5.4") .. " BUILD=" .. folder)
    assert(ok, text)
    folder = folder .. "/amalgamation"
  end)
  teardown(function() os.execute("rm -rf " .. folder:gsub("/amalgamation$", "")) end)

  it("has every source, and includes nothing but itself and standard headers", function()
    local text = slurp(folder .. "/saltus.c")
    for _, path in ipairs(sources) do
      assert.is_truthy(text:find("/* ---- " .. path:gsub("^src/", "") .. " ---- */", 1, true), path)
    end
    for name in text:gmatch '\n#include "([^"]+)"' do assert.equal("saltus.h", name) end
    assert.is_nil(slurp(folder .. "/saltus.h"):find '#include "')
  end)

  local warnings = " -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only saltus.c"
  for _, compiler in ipairs { "gcc", "clang" } do
    if has(compiler) then
      it("compiles alone as C11 without a warning, the minimal profile too: " .. compiler, function()
        assert.equal("", (run(compiler .. warnings)))
        assert.equal("", (run(compiler .. " -DSAL_MINIMAL" .. warnings)))
      end)
    end
  end

  it("has the minimal profile: no delays and no implicit methods, and the bits of the library", function()
    if not has "nm" then return end
    assert.equal("", (run "cc -Os -w -DSAL_MINIMAL -c saltus.c -o minimal.o"))
    local symbols = run "nm minimal.o"
    assert.is_nil(symbols:find "sal__delay_fit")
    assert.is_nil(symbols:find "sal__radau5")
    assert.is_truthy(symbols:find "T sal_simulator_advance_to")
    local root = output_of("pwd"):gsub("%s+$", "")
    assert.equal("", (run("mkdir -p saltus && cp saltus.h saltus && cc -I. " .. root ..
      "/examples/hosts/game_loop.c minimal.o -lm -o small")))
    assert.equal(output_of((os.getenv "SALTUS_BUILD" or "build") .. "/examples/game_loop"), (run "./small"))
  end)

  for _, compiler in ipairs { "c++", "clang++" } do
    if has(compiler) then
      it("has a header that compiles as C++17: " .. compiler, function()
        assert.equal("", (run("echo '#include \"saltus.h\"' | " .. compiler ..
          " -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I. -fsyntax-only -x c++ -")))
      end)
    end
  end

  if has "tcc" then
    it("compiles with tcc, and runs to the bits of the library", function()
      local root = output_of("pwd"):gsub("%s+$", "")
      local host = root .. "/examples/hosts/game_loop.c"
      assert.equal("", (run("mkdir -p saltus && cp saltus.h saltus && tcc -std=c11 -Wall -I. " .. host ..
        " saltus.c -lm -o host")))
      local expected = output_of((os.getenv "SALTUS_BUILD" or "build") .. "/examples/game_loop")
      assert.equal(expected, (run "./host"))
    end)
  end

  it("exports what the headers declare, and nothing else", function()
    if not has "nm" then return end
    assert.equal("", (run "cc -O0 -w -fPIC -shared saltus.c -lm -o all.so"))
    local declared, exported = {}, {}
    for name in slurp(folder .. "/saltus.h"):gmatch "\nSAL_API[^;(]-([%w_]+)%(" do declared[#declared + 1] = name end
    for name in run("nm -D --defined-only all.so"):gmatch " [TDRB] ([%w_]+)" do exported[#exported + 1] = name end
    table.sort(declared)
    table.sort(exported)
    assert.is_true(#declared > 200)
    assert.same(declared, exported)
  end)
end)
