-- Mirrors lua/saltus/util/serialize.lua: plain data as bytes and back.
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
    assert.same(data, serialize.decode(serialize.encode(serialize.as_readonly(data, "queue"))))
    assert.same({ { 2, x = { 3 } } }, serialize.decode(serialize.encode { serialize.as_readonly(data, "queue")[2] }))
  end)
end)

describe("plain.frozen", function()
  local frozen = serialize.as_readonly({ 10, 20, { 30 }, name = "n" }, "queue")

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
      assert.matches("serialize_spec.lua:%d+: queue is read%-only here; in an update, write to next.queue", message)
    end
    assert.error_matches(function() table.insert(frozen, 1) end, "read%-only here")
  end)

  it("returns values that are not tables unchanged", function()
    assert.same({ 3, "x" }, { serialize.as_readonly(3, "q"), serialize.as_readonly("x", "q") })
  end)
end)
