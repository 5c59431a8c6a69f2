-- Mirrors lua/saltus/util/serialize.lua: plain data as bytes and back.
local readonly = require "saltus.util.readonly"
local serialize = require "saltus.util.serialize"

describe("plain.encode", function()
  it("preserves every kind of plain data", function()
    local data = { 1, 2.5, "text\0with zero", true, false, { deep = { er = { "x" } } }, [-3] = 0, [1.5] = "half",
      [true] = 1, [false] = 0, empty = {}, huge = math.huge, min = math.mininteger }
    assert.same(data, serialize.decode(serialize.encode(data)))
    for _, value in ipairs { 3, 0.5, "", true, false } do
      local back = serialize.decode(serialize.encode(value))
      assert.equal(value, back)
      assert.equal(math.type(value), math.type(back))
    end
    assert.is_nil(serialize.decode(serialize.encode(nil)))
  end)

  it("writes an item of a list of numbers like any other", function()
    local list = serialize.encode { 1.5, 2, "x" }
    assert.equal(string.pack("<c1I4c1i8c1dc1i8c1i8c1i8c1s4", "t", 3, "i", 1, "f", 1.5, "i", 2, "i", 2, "i", 3, "s",
      "x"), list)
    local sparse = { [3] = 0.5, [1] = 0.25, [-7] = 1.0 }
    assert.same(sparse, serialize.decode(serialize.encode(sparse)))
  end)

  it("gives equal bytes for equal data, for all orders of its keys", function()
    local a, b = {}, {}
    for i = 1, 100 do a["k" .. i] = i end
    for i = 100, 1, -1 do b["k" .. i] = i end
    assert.equal(serialize.encode(a), serialize.encode(b))
  end)

  it("rejects data that is not plain or contains itself", function()
    assert.error_matches(function() serialize.encode { print } end, "plain data only .*found a function")
    assert.error_matches(function() serialize.encode(io.stdout) end, "found a userdata")
    assert.error_matches(function() serialize.encode { [{}] = 1 } end, "cannot have a table as a key")
    local function chain(length)
      local inner = {}
      for _ = 2, length do inner = { inner } end
      return inner
    end
    assert.same(chain(1000), serialize.decode(serialize.encode(chain(1000))))
    assert.error_matches(function() serialize.encode(chain(1001)) end,
      "^abstract state cannot hold tables nested deeper than 1000; a long chain is better a list$")
    assert.error_matches(function() serialize.encode(chain(300000)) end, "nested deeper than 1000")
    local knot = {}
    knot.me = { knot }
    assert.error_matches(function() serialize.encode(knot) end, "holds itself")
  end)

  it("encodes a read-only view as its data", function()
    local data = { 1, { 2, x = { 3 } } }
    assert.same(data, serialize.decode(serialize.encode(readonly.of(data, "queue"))))
    assert.same({ { 2, x = { 3 } } }, serialize.decode(serialize.encode { readonly.of(data, "queue")[2] }))
  end)
end)
