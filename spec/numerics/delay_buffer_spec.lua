-- The buffer's rules are in src/numerics/delay/delay_buffer_test.c and in the recorded traces; here is what Lua adds.
local saltus = require "saltus"

describe("saltus.delay_buffer", function()
  it("returns the value that was appended one delay ago", function()
    local past = saltus.delay_buffer { delay = 0.5 }
    for t = 0, 2, 0.25 do past:append(t, t ^ 3, 3 * t ^ 2) end
    assert.near(1.3 ^ 3, past:read(1.8), 1e-14)
    assert.near(3 * 1.3 ^ 2, past:rate(1.8), 1e-13)
  end)

  it("takes and returns lists where its size is not 1", function()
    local past = saltus.delay_buffer { size = 2, delay = 1 }
    past:append(0, { 1, 10 })
    past:append(1, { 2, 30 })
    assert.same({ 1.5, 20 }, past:read(1.5))
  end)

  it("rejects an impossible size before it allocates", function()
    assert.error_matches(function() saltus.delay_buffer { size = 2 ^ 31 } end, "and at most 16777216")
    assert.error_matches(function() saltus.blocks.gain { gain = 1, size = 2 ^ 31 } end, "must be a whole number")
  end)

  it("keeps both sides of a jump", function()
    local past = saltus.delay_buffer { delay = 1 }
    past:append(0, 1)
    past:append(1, 1)
    past:append(1, 5)
    past:append(2, 5)
    assert.equal(1, past:read(1.999999))
    assert.equal(5, past:read(2))
  end)

  it("closes the last interval with the current value", function()
    local past = saltus.delay_buffer { delay = 0.5 }
    past:append(0, 0, 0)
    assert.near(0.5 ^ 3, past:read(1, { v = 1, d = 3 }), 1e-15)
    local two = saltus.delay_buffer { size = 2, delay = 0.5 }
    two:append(0, { 0, 1 }, { 0, 0 })
    for _, now in ipairs { { v = { 1, 1 }, d = { 3, 0 } }, { { v = 1, d = 3 }, { v = 1, d = 0 } } } do
      assert.same({ 0.5 ^ 3, 1 }, two:read(1, now))
    end
    assert.equal(0, past:read(1, 1)) -- without a derivative only where it may be used
    for _, linear_only in ipairs { true, false } do
      local line = saltus.delay_buffer { delay = 0.5, linear_only = linear_only, can_use_current = true }
      line:append(0, 0)
      assert.near(0.5, line:read(1, { v = 1, d = 3 }), 1e-15)
      assert.near(0.5, line:read(1, 1), 1e-15)
    end
  end)

  it("is cloned, saved and loaded with all that it keeps", function()
    local past = saltus.delay_buffer { delay = 1 }
    for i = 0, 40 do past:append(i / 8, math.sin(i)) end
    local copy, other = past:clone(), saltus.delay_buffer { delay = 1 }
    other:load(past:save())
    for _, twin in ipairs { copy, other } do
      assert.equal(past:hash(), twin:hash())
      assert.same(past:times(), twin:times())
      assert.equal(past:read(4.7), twin:read(4.7))
    end
    copy:append(6, 0)
    assert.not_equal(past:hash(), copy:hash())
  end)

  it("records no more points than its delay needs", function()
    local past = saltus.delay_buffer { delay = 0.001 }
    for i = 1, 5000 do past:append(i, i) end
    assert.is_true(#past <= 8)
  end)

  it("is flat before its first point, and says when older ones are gone", function()
    local past = saltus.delay_buffer { delay = 1 }
    past:append(0, 7)
    assert.equal(7, past:read(0.5))
    for t = 1, 5 do past:append(t, t) end
    assert.error_matches(function() past:read(1.5) end,
      "nothing is recorded 1.0 s before t = 1.5: the oldest point is at 1.0; give it a longer delay")
  end)

  it("continues with another delay and the same history", function()
    local past = saltus.delay_buffer { delay = 2 }
    for t = 0, 5 do past:append(t, 10 * t) end
    past:set_delay(1)
    assert.equal(1, past:delay())
    assert.near(45, past:read(5.5), 1e-12)
  end)

  it("rejects wrong arguments, with the reason", function()
    local function refuses(text, f, ...)
      local given = table.pack(...)
      assert.error_matches(function() f(table.unpack(given, 1, given.n)) end, text)
    end
    refuses('delay_buffer: option "delay" must not be negative, got %-1', saltus.delay_buffer, { delay = -1 })
    refuses('option "delay" must not be NaN', saltus.delay_buffer, { delay = 0 / 0 })
    refuses('option "size" must be a whole number', saltus.delay_buffer, { size = 0.5 })
    refuses('unknown option "delays"', saltus.delay_buffer, { delays = 1 })
    local past = saltus.delay_buffer { size = 2, delay = 1 }
    refuses("nothing was appended yet", past.read, past, 1)
    refuses("a value must be 2 number", past.append, past, 0, 1)
    refuses("a value must be 2 number%(s%), got 3", past.append, past, 0, { 1, 2, 3 })
    refuses("a point's time must be finite", past.append, past, math.huge, { 1, 2 })
    refuses("were not saved by a buffer of this size", past.load, past, "nonsense")
    refuses("delay must not be negative", past.set_delay, past, -2)
    assert.equal(0, #past)
  end)
end)
