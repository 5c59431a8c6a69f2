-- Mirrors lua/saltus/util/numerals.lua and src/binding/numerals.c: what is written and read has a decimal point also in
-- a process whose LC_NUMERIC has a comma. Such a process is another one: the locale is the whole process's.
local numerals = require "saltus.util.numerals"
local comma = require "spec.support.comma"

local folder

setup(function()
  folder = os.tmpname()
  os.remove(folder)
  os.execute("mkdir -p " .. folder)
end)

teardown(function() os.execute("rm -rf " .. folder) end)

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function lua(environment, ...)
  local pipe = assert(io.popen(("%s LUA_PATH=%s LUA_CPATH=%s %s %s 2>&1"):format(environment, quote(package.path),
    quote(package.cpath), os.getenv "SALTUS_LUA" or "lua5.4", table.concat({ ... }, " "))))
  local text = pipe:read "a"
  assert.is_true(pipe:close(), text)
  return text
end

describe("in a locale with a decimal comma", function()
  it("files, pictures, messages and arguments have a decimal point", function()
    local point = lua("", "spec/support/numbers_everywhere.lua", folder)
    local locale = comma.locale()
    local text = lua(locale.environment, "spec/support/numbers_everywhere.lua", folder, locale.name)
    for part, title in point:gmatch "(== ([^\n]+)\n.-\n)%f[=\0]" do
      assert.is_truthy(text:find(part, 1, true), title .. " differs; with a point it is\n" .. part)
    end
    assert.equal(point, text)
  end)
end)

describe("numerals", function()
  it("format, read and write as Lua does with a point", function()
    assert.equal("0.5 a 3", numerals.format("%.1f %s %d", 0.5, "a", 3))
    assert.equal(0.5, numerals.parse "0.5")
    assert.is_nil(numerals.parse "0,5")
    assert.equal("0.5", numerals.text(0.5))
  end)

  it("hand on errors and all results", function()
    local object = {}
    local ok, wrong = pcall(numerals.neutral, error, object)
    assert.is_false(ok)
    assert.equal(object, wrong)
    assert.same({ 1, nil, 3, n = 3 }, table.pack(numerals.neutral(function(...) return ... end, 1, nil, 3)))
  end)
end)

describe("lua/saltus", function()
  -- Writers of files format under numerals.neutral as a whole.
  local whole = { ["text_export.lua"] = true, ["numerals.lua"] = true, ["drawing.lua"] = true }

  it("formats numbers that have a fraction by numerals.format", function()
    local pipe = assert(io.popen "find lua/saltus -name '*.lua'")
    for path in pipe:lines() do
      if not whole[path:match "[^/]+$"] and not path:find "/plot/" then
        for line in io.lines(path) do
          local found = line:match '%%[-+ 0-9.]*[gf][^%a"][^"]*"%):format%('
            or line:match '%%[-+ 0-9.]*[gf]"%):format%('
          assert.is_nil(found, path .. ": " .. line .. "\nwrite numerals.format(text, ...): a point in every locale")
        end
      end
    end
    pipe:close()
  end)
end)
