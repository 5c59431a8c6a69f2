-- Mirrors lua/saltus/sweep/rows.lua and src/binding/csv_line.c: values as CSV, and back.
local core = require "saltus.core"
local random = require "spec.support.random"
local rows = require "saltus.sweep.rows"

describe("a line of CSV", function()
  it("has the texts of string.format, short where six decimals suffice", function()
    assert.equal("1,0.7,-2.5,0.30000000000000004,1e+100,nan,inf,-inf,0,-0,,true,on\n",
      core.csv_line({ 1, 0.7, -2.5, 0.1 + 0.2, 1e100, 0 / 0, 1 / 0, -1 / 0, 0.0, -0.0, nil, true, "on" }, 13))
    local stream = random.new(5)
    for i = 1, 20000 do
      local x = (stream:real() - 0.5) * 10.0 ^ (stream:real() * 24 - 8)
      local text = core.csv_line({ x }, 1):sub(1, -2)
      assert.equal(x, tonumber(text))
      local _, digits = text:gsub("%d", "")
      if digits > 15 then assert.equal(("%.17g"):format(x), text, i) end
    end
  end)

  it("has every number at the ends of a power of ten", function()
    for power = -8, 18 do
      local x = tonumber("1e" .. power)
      for _, factor in ipairs { 1, 1 - 2 ^ -53, 1 + 2 ^ -52, 9.9999999999999982, 0.1 } do
        local text = core.csv_line({ x * factor }, 1):sub(1, -2)
        assert.equal(x * factor, tonumber(text))
      end
    end
  end)

  it("quotes texts, and has no line end inside", function()
    local line = core.csv_line({ 'a,b', 'say "x"', "two\nlines", "=1+1", "", "-" }, 6)
    assert.equal('"a,b","say ""x""","two | lines",\'=1+1,,\'-\n', line)
    assert.same({ "a,b", 'say "x"', "two | lines", "'=1+1", "", "'-" }, rows.split(line:sub(1, -2)))
    assert.equal("=1+1", rows.value "'=1+1")
  end)

  it("is read back as the types that were written", function()
    for _, value in ipairs { true, false, "true", "false", "12", "0x10", "1e5", ".5", "-3", "nan", "inf", "-inf", "'s",
      "'=1", "''", "1 2", "12a", "", " x ", "# z", -0.0, 0, 7, 0.5, math.maxinteger, math.mininteger } do
      local got = rows.value(rows.split(core.csv_line({ value }, 1):sub(1, -2))[1])
      assert.same({ value, math.type(value) or type(value), 1 / (tonumber(value) == 0 and value or 1) },
        { got, math.type(got) or type(got), 1 / (tonumber(got) == 0 and got or 1) })
    end
    assert.equal("a\\0,z | b", rows.value(rows.split(core.csv_line({ "a\0,z\nb" }, 1):sub(1, -2))[1]))
  end)

  it("is read back as it was", function()
    for _, cells in ipairs { { "" }, { "", "" }, { "a" }, { 'x"y', "1,2", "" }, { '"', ",", '""' } } do
      assert.same(cells, rows.split((rows.joined(cells):gsub("\n$", ""))))
    end
    for _, value in ipairs { 1, 0.1, -1e-300, 12345678901234567, "on", "1.5.2" } do
      assert.equal(value, rows.value(core.csv_line({ value }, 1):sub(1, -2)))
    end
    assert.equal(math.huge, rows.value "inf")
    local nan = rows.value "nan"
    assert.not_equal(nan, nan)
  end)
end)

describe("the numbers of a measure", function()
  it("are put where their names belong; other values and names are not", function()
    local row, places = { 7 }, { a = 3, b = 2 }
    assert.equal(2, core.put_numbers({ a = 0.5, b = 1 }, places, row))
    assert.same({ 7, 1, 0.5 }, row)
    assert.equal(1, core.put_numbers({ b = 4 }, places, row))
    assert.equal(0, core.put_numbers({}, places, row))
    for _, other in ipairs { { a = "1" }, { a = true }, { c = 1 }, { 1 }, 5, "a" } do
      assert.is_nil(core.put_numbers(other, places, row))
    end
    assert.same({ 7, 4, 0.5 }, row)
  end)
end)
