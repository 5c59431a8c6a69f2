-- The host of examples/hosts/tank, built from a copy of its folder against an installed prefix.
local output_of = require("spec.support.examples").output_of

local build = os.getenv "SALTUS_BUILD" or "build"
local sanitized = build:find "asan" ~= nil -- the libraries need the runtime of the sanitizers

local function has(command) return (os.execute("command -v " .. command .. " >/dev/null 2>&1")) end

describe("an installed library", function()
  if sanitized or not has "pkg-config" then return end
  local prefix = os.tmpname()
  os.remove(prefix)
  local moved = prefix .. ".moved"

  setup(function()
    local text, ok = output_of("env -u MAKELEVEL -u MAKEFLAGS make -s install-lib DESTDIR= BUILD=" .. build ..
      " PREFIX=" .. prefix .. " 2>&1")
    assert(ok, text)
    assert(os.rename(prefix, moved)) -- nothing in it knows where it is
  end)
  teardown(function() os.execute("rm -rf " .. prefix .. " " .. moved) end)

  it("is found by pkg-config and by CMake after it was moved, and runs a host", function()
    local text, ok = output_of(("packaging/hosts %s %s tank 2>&1"):format(moved, "''"))
    local passed = tonumber(text:match "(%d+) passed")
    assert.is_true(ok, text)
    assert.equal(has "cmake" and 2 or 1, passed)
    assert.matches("the valve closed at 10%.000000 s, level 0%.250000 m", text)
  end)

  it("has the version of the headers for pkg-config, and CMake refuses another series", function()
    local version = output_of("sed -n 's/^.define SAL_VERSION \"\\(.*\\)\"/\\1/p' src/include/saltus/status.h")
    assert.equal(version, (output_of("PKG_CONFIG_PATH=" .. moved .. "/lib/pkgconfig pkg-config --modversion saltus")))
    if not has "cmake" then return end
    local folder = os.tmpname()
    os.remove(folder)
    local function configure(wanted)
      assert(os.execute("mkdir -p " .. folder))
      local file = assert(io.open(folder .. "/CMakeLists.txt", "w"))
      file:write("cmake_minimum_required(VERSION 3.16)\nproject(p C)\nfind_package(Saltus ", wanted,
        " CONFIG REQUIRED)\n")
      file:close()
      local text, ok = output_of(("cmake -S %s -B %s/out -DCMAKE_PREFIX_PATH=%s 2>&1"):format(folder, folder, moved))
      os.execute("rm -rf " .. folder)
      return ok, text
    end
    assert.is_true((configure(version:match "^%d+%.%d+")))
    local ok, text = configure "0.99"
    assert.is_falsy(ok)
    assert.matches("compatible", text)
  end)

  it("leaves nothing behind after make uninstall", function()
    assert(os.execute("env -u MAKELEVEL -u MAKEFLAGS make -s uninstall DESTDIR= PREFIX=" .. moved ..
      " LUADIR=" .. moved .. "/lua LUALIBDIR=" .. moved .. "/lua"))
    assert.equal("", (output_of("find " .. moved .. " -type f -o -type l")))
  end)
end)
