-- The thermostat of examples/hosts/thermostat_cpp, built from a copy of its folder against an installed prefix.
local output_of = require("spec.support.examples").output_of
local slurp = require "spec.support.slurp"

local build = os.getenv "SALTUS_BUILD" or "build"
local STRICT = "-O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
local FOLDER = "examples/hosts/thermostat_cpp"

local function has(command) return (os.execute("command -v " .. command .. " >/dev/null 2>&1")) end

describe("thermostat_cpp", function()
  if build:find "asan" then return end -- the library needs the runtime of the sanitizers
  for _, command in ipairs { "c++", "pkg-config" } do
    if not has(command) then
      it("switches", function() pending(command .. " is not installed") end)
      return
    end
  end

  local folder = os.tmpname()
  os.remove(folder)
  local prefix = folder .. "/prefix"

  setup(function()
    local text, ok = output_of("env -u MAKELEVEL -u MAKEFLAGS make -s install-lib DESTDIR= BUILD=" .. build ..
      " PREFIX=" .. prefix .. " 2>&1")
    assert(ok, text)
  end)
  teardown(function() os.execute("rm -rf " .. folder) end)

  -- Builds the program with `source` in its place; returns what it prints and whether it succeeds.
  local function check(compiler, source)
    local copy = folder .. "/" .. compiler
    assert(os.execute(("rm -rf %s && cp -r %s %s"):format(copy, FOLDER, copy)))
    local file = assert(io.open(copy .. "/thermostat.cpp", "w"))
    file:write(source)
    file:close()
    return output_of(("env -u MAKELEVEL -u MAKEFLAGS -u BUILD PKG_CONFIG_PATH=%s/lib/pkgconfig make -s -C %s check " ..
      "CXX=%s CXXFLAGS='%s' 2>&1"):format(prefix, copy, compiler, STRICT))
  end

  local function source() return slurp(FOLDER .. "/thermostat.cpp") end

  for _, compiler in ipairs { "c++", "clang++" } do
    if has(compiler) then
      it("switches at the times of the closed form, also after an exception: " .. compiler, function()
        local text, ok = check(compiler, source())
        assert.is_true(ok, text)
        -- the first way, then pairs of ways; every eleventh switch finds a worn relay
        local function way(from, to, final) return 30 * math.log((final - from) / (final - to)) end
        local first, cooling, heating = way(20, 205, 320), way(205, 195, 20), way(195, 205, 320)
        local worn = 0
        for at, temperature, switches in text:gmatch "worn at (%S+) s and (%S+) degrees, after (%d+) switches" do
          worn = worn + 1
          assert.equal(10 * worn, tonumber(switches))
          assert.near(first + 5 * worn * (cooling + heating), tonumber(at), 6e-4) -- three digits are printed
          assert.equal(205, tonumber(temperature))
        end
        assert.equal(4, worn)
        local count, difference = text:match "host: (%d+) switches, at most (%S+) s"
        assert.equal(2 * ((120 - first) // (cooling + heating)) + 1 +
          ((120 - first) % (cooling + heating) >= cooling and 1 or 0), tonumber(count))
        assert.is_true(tonumber(difference) < 1e-9)
      end)
    end
  end

  it("fails where the switches are not those of the closed form", function()
    for from, to in pairs { ["accuracy = 1e%-12"] = "accuracy = 1e-3", ["used%.replace%(%);"] = "return worn;" } do
      local changed, count = source():gsub(from, to)
      assert.equal(1, count)
      local text, ok = check("c++", changed)
      assert.is_falsy(ok, text)
      assert.matches("host: %d+ switches", text)
    end
  end)
end)
