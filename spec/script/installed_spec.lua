-- A host with Lua is built against an installation alone: headers, libraries, Lua files and saltus-lua.pc.
local examples = require "spec.support.examples"

local output_of, build = examples.output_of, examples.build

local function has(program) return os.execute(("command -v %s >/dev/null"):format(program)) end

describe("an installation", function()
  -- Other builds have sanitizers.
  if build ~= "build" or not (has "cc" and has "pkg-config") then return end

  local prefix = os.tmpname()

  setup(function()
    os.remove(prefix)
    local said, good = output_of("env -u MAKEFLAGS -u MAKELEVEL make -s install PREFIX=" .. prefix)
    assert(good, said)
    output_of(("mkdir %s/host && cd examples/hosts && cp -r scripted_arm.c scripts %s/host"):format(prefix, prefix))
  end)

  teardown(function() os.execute("rm -rf " .. prefix) end)

  local HOST = [[cd %s/host && export PKG_CONFIG_PATH=%s/lib/pkgconfig LD_LIBRARY_PATH=%s/lib LUA_CPATH=/none/?.so &&
    LUA_PATH='%s/share/lua/5.4/?.lua;%s/share/lua/5.4/?/init.lua' && export LUA_PATH &&
    cc -Wall -Wextra -Werror scripted_arm.c %s -lm -o host && ./host scripts/arm.lua]]

  local function runs(how)
    local said, good = output_of((HOST:gsub("%%s", prefix, 5)):gsub("%%s", how))
    assert.is_true(good, said)
    assert.equal(output_of(build .. "/examples/scripted_arm"), said)
  end

  it("runs a program with Lua, linked to the shared library", function()
    runs "$(pkg-config --cflags --libs saltus-lua)"
  end)

  it("runs a program with Lua, linked to the static library", function()
    runs("$(pkg-config --cflags saltus-lua) $(pkg-config --variable=libdir saltus-lua)/libsaltus-lua.a "
      .. "$(pkg-config --libs saltus-lua | sed 's/-lsaltus-lua//')")
  end)
end)
