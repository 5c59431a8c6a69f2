-- saltus.cdef, which is made from the headers, as LuaJIT and Python's cffi read it.
local output_of = require("spec.support.examples").output_of
local slurp = require "spec.support.slurp"

local build = os.getenv "SALTUS_BUILD" or "build"
local cdef = build .. "/lib/saltus.cdef"

local function has(command) return (os.execute(command .. " >/dev/null 2>&1")) end

local function with_script(text, command)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  local out, ok = output_of(("%s %s %s 2>&1"):format(command, path, cdef))
  os.remove(path)
  return out, ok
end

-- What a C compiler says of the same structs and constants, in the form of both scripts.
local STRUCTS = "sal_simulator_config sal_integrator_config sal_system_class sal_event_config sal_report sal_channel"
local CONSTANTS = "SAL_EWATCH SAL_MAX_NUMBERS SAL_ON_DEMAND SAL_AT_HALT SAL_IS_LESS"

local function expected()
  local lines = {}
  for name in STRUCTS:gmatch "%S+" do lines[#lines + 1] = ('printf("%s %%zu\\n", sizeof(%s));'):format(name, name) end
  for name in CONSTANTS:gmatch "%S+" do lines[#lines + 1] = ('printf("%s %%d\\n", (int)%s);'):format(name, name) end
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write("#include <stdio.h>\n#include <saltus/saltus.h>\nint main(void) {", table.concat(lines, "\n"), "}\n")
  file:close()
  assert(os.execute(("cc -std=c11 -Isrc/include -x c %s -o %s.out"):format(path, path)))
  local text = output_of(path .. ".out")
  os.remove(path)
  os.remove(path .. ".out")
  return text
end

describe("saltus.cdef", function()
  it("declares every function of the headers and has no preprocessor", function()
    local text = slurp(cdef)
    assert.is_nil(text:find "\n%s*#")
    assert.is_nil(text:find "SAL_API")
    -- Not those for programs that embed Lua.
    local headers = output_of "cat $(ls src/include/saltus/*.h | grep -v -e script.h -e sandbox.h)"
    for name in headers:gmatch "\nSAL_API[^;(]-([%w_]+)%(" do
      assert.is_truthy(text:find("%f[%w_]" .. name .. "%("), name)
    end
  end)

  if has "luajit -e 'require [[ffi]]'" then
    it("is read by LuaJIT, with the sizes and numbers that a C compiler sees", function()
      local out, ok = with_script(([[
        local ffi = require "ffi"
        ffi.cdef(io.open(arg[1]):read "*a")
        for name in ("%s"):gmatch "%%S+" do print(name .. " " .. ffi.sizeof(name)) end
        for name in ("%s"):gmatch "%%S+" do print(name .. " " .. tonumber(ffi.C[name])) end]]):format(STRUCTS,
        CONSTANTS), "luajit")
      assert.is_true(ok, out)
      assert.equal(expected(), out)
    end)
  end

  if has "python3 -c 'import cffi'" then
    it("is read by cffi of Python, with the sizes and numbers that a C compiler sees", function()
      local out, ok = with_script(("import cffi, sys\nffi = cffi.FFI()\nffi.cdef(open(sys.argv[1]).read())\n" ..
        "lib = ffi.dlopen(None)\nfor name in '%s'.split(): print(name, ffi.sizeof(name))\n" ..
        "for name in '%s'.split(): print(name, getattr(lib, name))\n"):format(STRUCTS, CONSTANTS), "python3")
      assert.is_true(ok, out)
      assert.equal(expected(), out)
    end)
  end
end)
