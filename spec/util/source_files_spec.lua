-- Mirrors lua/saltus/util/source_files.lua.
local source_files = require "saltus.util.source_files"

describe("the files of a scenario", function()
  local folder, path_before, files

  local function write(name, text)
    local file = assert(io.open(folder .. "/" .. name, "w"))
    file:write(text)
    file:close()
  end

  local function load() return files:load(function() return dofile(folder .. "/main.lua") end) end

  before_each(function()
    folder, path_before = os.tmpname(), package.path
    os.remove(folder)
    os.execute("mkdir " .. folder)
    package.path = folder .. "/?.lua;" .. package.path
    write("live_part.lua", "return 1")
    write("main.lua", "return require 'live_part' + 10")
    files = source_files.new(folder .. "/main.lua")
  end)

  after_each(function()
    package.path, package.loaded.live_part = path_before, nil
    os.execute("rm -r " .. folder)
  end)

  it("are loaded again with their modules", function()
    assert.equal(11, load())
    write("live_part.lua", "return 2")
    assert.equal(12, load())
  end)

  it("have changed when a content is another one in two looks", function()
    load()
    assert.is_false(files:changed())
    write("live_part.lua", "return 3")
    assert.is_false(files:changed())
    assert.is_true(files:changed())
    assert.equal(13, load())
    assert.is_false(files:changed())
    write("main.lua", "return")
    assert.is_false(files:changed())
    write("main.lua", "return require 'live_part' + 10")
    assert.is_false(files:changed())
    assert.is_false(files:changed())
  end)

  it("are watched after a failure, and while one is missing", function()
    load()
    write("live_part.lua", "syntax error")
    assert.is_false(pcall(load))
    assert.is_false(files:changed())
    os.remove(folder .. "/live_part.lua")
    assert.is_false(files:changed())
    write("live_part.lua", "return 4")
    assert.is_false(files:changed())
    assert.is_true(files:changed())
    assert.equal(14, load())
  end)
end)
