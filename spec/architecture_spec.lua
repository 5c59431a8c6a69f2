-- Checks the includes between layers, the use of Lua's headers, and the exported symbols.
-- Each layer may use layers of a lower rank, so layers of one rank never use each other.
local order = { base = 1, numerics = 2, tape = 2, model = 3, engine = 4, blocks = 4, binding = 5, hosts = 5 }

local home = { -- the layer that implements each public header
  status = "base", math = "base",
  integrator = "numerics", polynomial = "numerics", witness = "numerics", delay_buffer = "numerics",
  context = "model", system = "model", diagram = "model",
  simulator = "engine", group = "engine", event_queue = "engine", recorder = "engine",
  blocks = "blocks",
  script = "binding", sandbox = "binding", -- for programs that embed Lua
  saltus = "hosts", -- all of them at once: for programs
}

local build = os.getenv "SALTUS_BUILD" or "build"

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local lines = {}
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

local function includes_of(path) return lines_of("grep -rHoE '^#include [<\"][^>\"]+' " .. path) end

-- The layer that an include line names: by public header, or by "../layer/file.h" from any folder.
local function used_room(line)
  local header = line:match '"saltus/([%w_]+)%.h' or line:match '<saltus/([%w_]+)%.h'
  if header then return home[header] or error("no room keeps saltus/" .. header .. ".h") end
  for room in line:match('#include .*$'):gmatch "([%w_]+)/" do
    if order[room] then return room end
  end
end

-- Tests, and the headers that they share, may use the layers below them and all public headers.
local function is_test(line) return line:match "^[^:]*_test%.c:" or line:match "^[^:]*/test_[%w_]+%.h:" end

for room, rank in pairs(order) do
  describe("src/" .. room, function()
    it("uses only lower layers", function()
      for _, line in ipairs(includes_of("src/" .. room)) do
        local used = used_room(line)
        if used and used ~= room and not (is_test(line) and used == "hosts") then
          assert.is_true(order[used] < rank, line)
        end
      end
    end)

    if room ~= "binding" and room ~= "hosts" then
      it("does not include Lua's headers", function()
        for _, line in ipairs(includes_of("src/" .. room)) do
          assert.is_nil(line:match '[</"]l[ua][aux][%w]*%.h', line)
        end
      end)
    end
  end)
end

describe("src", function()
  it("has no folder that is not a layer", function()
    for _, name in ipairs(lines_of "ls src") do
      assert.is_true(name == "include" or order[name] ~= nil, name)
    end
  end)

  it("includes lua.h in the binding and the hosts only", function()
    for _, line in ipairs(includes_of "src") do
      if line:match '[<"]l[ua][aux][%w]*%.h' then
        assert.is_truthy(line:match "^src/binding/" or line:match "^src/hosts/", line)
      end
    end
  end)
end)

describe("src/include/saltus", function()
  it("has headers that include only headers of lower layers", function()
    for _, line in ipairs(includes_of "src/include/saltus") do
      local from, to = line:match '([%w_]+)%.h:#include "([%w_]+)%.h'
      if to then
        assert.is_truthy(home[from], line)
        assert.is_truthy(home[to], line)
        assert.is_true(order[home[to]] <= order[home[from]], line)
      end
    end
  end)

  it("includes only headers of the C standard library", function()
    for _, line in ipairs(includes_of "src/include/saltus") do
      local system = line:match "#include <(.+)$"
      if system then assert.is_truthy(({ ["stdbool.h"] = 1, ["stddef.h"] = 1, ["stdint.h"] = 1 })[system], line) end
    end
  end)

  it("is complete in saltus.h, which has nothing of the library with Lua", function()
    local listed = { script = true, sandbox = true }
    for _, line in ipairs(includes_of "src/include/saltus/saltus.h") do
      listed[line:match '"([%w_]+)%.h' or ""] = true
    end
    for _, name in ipairs(lines_of "ls src/include/saltus") do
      local header = name:match "^(.+)%.h$"
      if header ~= "saltus" then assert.is_true(listed[header] or false, name) end
    end
  end)
end)

describe("the exported symbols", function()
  -- Defined symbols that others can see: `nm` prints address, kind, name.
  local function exported(file, flag)
    local found = {}
    for _, line in ipairs(lines_of("nm " .. flag .. " --defined-only " .. file)) do
      local name = line:match "^%x* %u ([%w_.]+)"
      if name then found[#found + 1] = name end
    end
    return found
  end

  local function is_runtime(name) return name:match "^__?asan" or name:match "^__?ubsan" or name:match "^__odr_asan" end

  if os.execute "command -v nm >/dev/null" then
    it("are sal_ in libsaltus.so, and all of them are in a header", function()
      local promised = {}
      for _, line in ipairs(lines_of "grep -ohE '\\bsal_[a-z0-9_]+\\(' src/include/saltus/*.h") do
        promised[line:sub(1, -2)] = true
      end
      local names = exported(build .. "/lib/libsaltus.so.0", "-D")
      assert.is_true(#names > 50)
      for _, name in ipairs(names) do
        if not is_runtime(name) then assert.is_true(promised[name] or false, name .. " is in no header") end
      end
    end)

    it("are sal_ or sal__ in libsaltus.a, so that they collide with no other name", function()
      for _, name in ipairs(exported(build .. "/lib/libsaltus.a", "-g")) do
        if not is_runtime(name) then assert.is_truthy(name:match "^sal_", name) end
      end
    end)

    it("are luaopen_saltus_core only in the Lua module", function()
      for _, name in ipairs(exported(build .. "/lua/saltus/core.so", "-D")) do
        if not is_runtime(name) then assert.equal("luaopen_saltus_core", name) end
      end
    end)

    it("do not need stdio, exit, abort, threads or locale", function()
      local unwanted = { printf = 1, fprintf = 1, puts = 1, fputs = 1, fopen = 1, exit = 1, abort = 1, setlocale = 1,
        pthread_create = 1, getenv = 1, perror = 1 }
      for _, line in ipairs(lines_of("nm -D --undefined-only " .. build .. "/lib/libsaltus.so.0")) do
        local name = line:match "U ([%w_]+)"
        assert.is_nil(unwanted[name], name)
      end
    end)
  end

  it("include every function in the headers", function()
    local text = table.concat(lines_of "cat $(ls src/include/saltus/*.h | grep -v -e script.h -e sandbox.h)", "\n")
    local defined = {}
    for _, name in ipairs(exported(build .. "/lib/libsaltus.a", "-g")) do defined[name] = true end
    for name in text:gmatch "\nSAL_API[^;(]-([%w_]+)%(" do
      assert.is_true(defined[name] or false, name .. " is missing")
    end
  end)

  it("are those of all headers and the module's in the library for programs with Lua", function()
    local promised = { luaopen_saltus_core = true }
    for name in table.concat(lines_of "cat src/include/saltus/*.h", "\n"):gmatch "\nSAL_API[^;(]-([%w_]+)%(" do
      promised[name] = true
    end
    for _, library in ipairs { "-g %s/lib/libsaltus-lua.a", "-D %s/lib/libsaltus-lua.so.0" } do
      library = library:format(build)
      local missing = {}
      for name in pairs(promised) do missing[name] = true end
      for _, name in ipairs(exported(library, "")) do
        if not is_runtime(name) then assert.is_true(promised[name] or false, name .. " is in no header") end
        missing[name] = nil
      end
      assert.is_nil(next(missing), tostring(next(missing)) .. " is missing in " .. library)
    end
  end)

  it("are tested, for each function of a simulator, against the callers that the header allows", function()
    local test = table.concat(lines_of "cat src/engine/reentrance_test.c", "\n")
    local count = 0
    for name in table.concat(lines_of "cat src/include/saltus/simulator.h", "\n"):gmatch "\nSAL_API[^;(]-([%w_]+)%(" do
      if name:match "^sal_simulator_" then
        count = count + 1
        assert.is_truthy(test:find('{"' .. name .. '", ', 1, true), name .. " is not in src/engine/reentrance_test.c")
      end
    end
    assert.is_true(count > 40)
    local recorder = table.concat(lines_of "cat src/include/saltus/recorder.h", "\n")
    for name in recorder:gmatch "SAL_API sal_status ([%w_]+)%(" do
      assert.is_truthy(test:find(name, 1, true), name .. " is not in src/engine/reentrance_test.c")
    end
    -- and one header decides it
    for _, line in ipairs(lines_of "grep -rnE --include='*.c' -e '->(running|reading)' src/engine") do
      assert.is_nil(line, line)
    end
  end)

  it("come from headers that compile as C++", function()
    if not os.execute "command -v c++ >/dev/null 2>&1" then return end
    local file = os.tmpname()
    local source = assert(io.open(file, "w"))
    source:write('#include "saltus/saltus.h"\n#include "saltus/script.h"\n#include "saltus/sandbox.h"\n' ..
      'int main() { return sal_status_text(SAL_OK) == nullptr; }\n')
    source:close()
    local ok = os.execute("c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -Isrc/include -fsyntax-only -x c++ " .. file)
    os.remove(file)
    assert.is_truthy(ok)
  end)
end)

describe("lua/saltus", function()
  local circles = require "spec.support.house.circles"
  local files = require "spec.support.house.files"

  it("has no circle of modules that require each other, lazily or not", function()
    assert.same({}, circles.of(circles.requires(files.below("lua", ".lua"))))
  end)

  it("has at most 25 files in a folder", function()
    local count = {}
    for _, path in ipairs(files.below("lua", ".lua")) do
      local folder = path:match "^(.*)/"
      count[folder] = (count[folder] or 0) + 1
    end
    for folder, n in pairs(count) do assert.is_true(n <= 25, folder) end
  end)
end)
