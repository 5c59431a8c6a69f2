-- Scripts that a program in C loads, each in an environment of its own: src/binding/script/load.c,
-- lua/saltus/script/environment.lua.
local core = require "saltus.core"
local c = require "spec.script.module"

local status = core.constants.status

describe("sal_script_load", function()
  local folder = os.tmpname()
  os.remove(folder)
  local paths = {}

  local function write(name, text)
    local path = ("%s_%s"):format(folder, name)
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    paths[#paths + 1] = path
    return path
  end

  local function module_name(name) return ("%s_%s"):format(folder:match "[^/]*$", name) end

  after_each(function()
    for _, path in ipairs(paths) do os.remove(path) end
    paths = {}
  end)

  it("returns what the file returns, and passes it arguments", function()
    local value, code = c.load(write("a.lua", "local a, b = ... return { a + b, select('#', ...) }"), 3, 4)
    assert.equal(0, code)
    assert.same({ 7, 2 }, value)
    assert.is_nil((c.load(write("b.lua", "local x = 1"))))
    assert.equal(5, (c.load(write("c.lua", "\xEF\xBB\xBF#!/usr/bin/lua\nreturn 5"))))
  end)

  it("keeps the globals of each file to itself", function()
    local first = c.load(write("a.lua",
      "shared = 1; _G.other = 2; return { _G = _G, see = function() return shared end }"))
    local second = c.load(write("b.lua",
      "return { shared = shared, other = other, text = type(string), none = _G.shared }"))
    assert.same({ text = "table" }, second)
    assert.is_nil(rawget(_G, "shared"))
    assert.is_nil(rawget(_G, "other"))
    assert.equal(1, first.see())
    assert.equal(1, first._G.shared)
    assert.is_nil((c.load(write("c.lua", "load('hidden = 4')(); return _G.hidden ~= 4 and 'lost' or nil"))))
    assert.is_nil(rawget(_G, "hidden"))
  end)

  it("gives each file modules of its own from its folder, and shares the others", function()
    local helper = module_name "helper"
    write("helper.lua", "count = (count or 0) + 1; return { name = ..., count = function() return count end }")
    local text = ("local h = require %q; h.own = h.own or id; h.saltus = require 'saltus'; return h, require %q")
      :format(helper, helper)
    local first = c.load(write("a.lua", "id = 'a'; " .. text))
    local second = c.load(write("b.lua", "id = 'b'; " .. text))
    assert.equal("a", first.own)
    assert.equal("b", second.own)
    assert.equal(1, second.count()) -- run once for each
    assert.equal(helper, first.name)
    assert.equal(require "saltus", first.saltus)
    assert.is_nil(package.loaded[helper])
    assert.is_nil(rawget(_G, "count"))
  end)

  it("returns a scenario without running it, also where `arg` is set", function()
    local before = rawget(_G, "arg")
    rawset(_G, "arg", { [0] = "game" })
    local scenario = c.load(write("a.lua", [[
      local saltus = require "saltus"
      local ball = saltus.system { name = "ball", z = { x = 0 }, derivatives = function(_, dot) dot.x = 1 end }
      return saltus.scenario { system = ball, duration = 2 }]]))
    rawset(_G, "arg", before)
    assert.near(2, scenario:run().context.x, 1e-12)
  end)

  it("says why a file cannot be loaded", function()
    local function refused(expected, pattern, path)
      local value, code, why = c.load(path)
      assert.is_nil(value)
      assert.equal(expected, code)
      assert.matches(pattern, why)
    end
    refused(status.EINVAL, "cannot open", folder .. "_none.lua")
    refused(status.EINVAL, "_a.lua:2: .*near", write("a.lua", "local x = 1\nreturn = 4"))
    refused(status.EINVAL, "attempt to load a binary chunk", write("b.lua", string.dump(function() end)))
    refused(status.ECALLBACK, "_c.lua:2: no such map", write("c.lua", "\nerror 'no such map'"))
    refused(status.ECALLBACK, "_d.lua:1: module 'nowhere' not found", write("d.lua", "require 'nowhere'"))
    local circle = module_name "circle"
    write("circle.lua", ("return require %q"):format(circle))
    refused(status.ECALLBACK, "in a circle", write("e.lua", ("return require %q"):format(circle)))
    refused(status.ECALLBACK, "_broken.lua:1: .*near", write("f.lua", ("require %q"):format(module_name "broken"),
      write("broken.lua", "x x")))
  end)
end)
