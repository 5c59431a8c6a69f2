-- Mirrors lua/saltus/blocks/csv_table.lua.
local saltus = require "saltus"
local fails = require "spec.support.fails"

local path = os.tmpname()

local function table_of(text, options)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  options = options or {}
  options.csv = path
  return saltus.blocks.time_table(options)
end

local function value_at(t, block)
  local sim = saltus.simulator(block)
  sim:advance_to(t)
  return sim.context.output
end

teardown(function() os.remove(path) end)

describe("a time table of a CSV file", function()
  it("reads the column that is asked for, or the only one", function()
    local two = "time [s],a [m],b\r\n0,1,5\r\n2,3,9\r\n"
    assert.equal(2, value_at(1, table_of(two, { column = "a" })))
    assert.equal(7, value_at(1, table_of(two, { column = "b" })))
    assert.equal(5, value_at(1, table_of(two, { column = "b", between = "stairs" })))
    assert.equal(2, value_at(1, table_of 't;"u"\n0;1\n\n2;3\n'))
    assert.equal(2, value_at(1, table_of "t\tu\n0\t1\n2\t3"))
  end)

  it("reads an element of a vector, and a column beside words", function()
    local text = "time [s],r[1] [m],r[2],h[m],mode\n0,1,5,2,on\n2,3,9,4,off\n"
    assert.equal(2, value_at(1, table_of(text, { column = "r[1]" })))
    assert.equal(7, value_at(1, table_of(text, { column = "r[2]" })))
    assert.equal(3, value_at(1, table_of(text, { column = "h" })))
    fails(path .. ":2: 'on' is not a number", function() table_of(text, { column = "mode" }) end)
  end)

  it("reads what a log wrote, to the same numbers", function()
    local sine = saltus.simulator(saltus.blocks.sine { frequency = 3 })
    local log = saltus.log(sine, { "output", every = 0.125 })
    sine:advance_to(1)
    log:csv(path)
    assert.equal(log.output[4], value_at(log.time[4], saltus.blocks.time_table { csv = path }))
  end)

  it("names the file, the line and the remedy when something is wrong", function()
    local function wrong(message, text, options) fails(message, function() table_of(text, options) end) end
    wrong('unknown column "c" of ' .. path, "t,a,b\n0,1,2\n1,2,3\n", { column = "c" })
    wrong('has 2 columns besides the time; choose one with column = "a"', "t,a,b\n0,1,2\n1,2,3\n")
    wrong(path .. ":3: 'x' is not a number", "t,a\n0,1\n1,x\n")
    wrong(path .. ":3 has 3 columns, the first line has 2", "t,a\n0,1\n1,2,3\n")
    wrong(path .. ":3: times must increase, got 0 after 0", "t,a\n0,1\n0,2\n")
    wrong(path .. ":1 has numbers; the first line must have names", "0,1\n1,2\n")
    wrong(path .. " is empty", "\n")
    wrong(path .. " has no column besides the time", "t\n0\n1\n")
    wrong(path .. " needs two times or more below the line of names", "t,a\n0,1\n")
    wrong(path .. ":2: '1e999' is too large", "t,a\n0,1e999\n1,2\n")
    fails("time_table: none.csv: No such file", saltus.blocks.time_table, { csv = "none.csv" })
    fails("time_table: spec: Is a directory", saltus.blocks.time_table, { csv = "spec" })
    fails("time_table: /dev/zero: it is no regular file, and does not end", saltus.blocks.time_table,
      { csv = "/dev/zero" })
    fails('option "csv" must be a string, got 3', saltus.blocks.time_table, { csv = 3 })
  end)
end)
