-- Mirrors lua/saltus/init.lua: under an older Lua the first words say which one is wanted.
describe("require \"saltus\"", function()
  it("under another Lua says so, and how busted finds the right one", function()
    local chunk = assert(loadfile("lua/saltus/init.lua", "t", setmetatable({ _VERSION = "Lua 5.1" }, { __index = _G })))
    local ok, message = pcall(chunk)
    assert.is_false(ok)
    assert.equal('saltus needs Lua 5.4, and this is Lua 5.1; with busted: busted --lua=lua5.4, or lua = "lua5.4" in '
      .. ".busted", message)
  end)
end)
