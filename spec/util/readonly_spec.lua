-- Mirrors lua/saltus/util/readonly.lua.
local readonly = require "saltus.util.readonly"

describe("a read-only view", function()
  local frozen = readonly.of({ 10, 20, { 30 }, name = "n" }, "queue")

  it("reads like the table", function()
    assert.same({ 10, 20, 3, "n", 30 }, { frozen[1], frozen[2], #frozen, frozen.name, frozen[3][1] })
    assert.same({ 10, 20 }, { table.unpack(frozen, 1, 2) })
    local keys = 0
    for k, v in pairs(frozen) do keys = keys + 1 assert.is_truthy(k and v) end
    assert.equal(4, keys)
    local list = {}
    for i, v in ipairs(frozen) do list[i] = type(v) end
    assert.same({ "number", "number", "table" }, list)
  end)

  it("cannot be written, at any depth", function()
    for _, part in ipairs { frozen, frozen[3] } do
      local _, message = pcall(function() part[1] = 1 end)
      assert.matches("readonly_spec.lua:%d+: queue is read%-only here; in an update, write to next.queue", message)
    end
    assert.error_matches(function() table.insert(frozen, 1) end, "read%-only here")
  end)

  it("returns values that are not tables unchanged", function()
    assert.same({ 3, "x" }, { readonly.of(3, "q"), readonly.of("x", "q") })
  end)
end)
