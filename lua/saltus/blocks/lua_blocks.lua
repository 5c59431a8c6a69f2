-- Blocks that call Lua functions, or rewrite their options (`rewrite`) as those of the kind that they stand for. Their
-- descriptions have the fields of those in src/blocks.
local system = require "saltus.model.system"

local SIZE = { name = "size", type = "count", default = 1, doc = "elements of the output" }

local function input_names(count)
  local out = {}
  for k = 1, count do out[k] = count == 1 and "input" or "input" .. k end
  return out
end

-- Calls f with the inputs.
local function caller(f, inputs)
  if #inputs == 1 then return function(ctx) return f(ctx.input) end end
  if #inputs == 2 then return function(ctx) return f(ctx.input1, ctx.input2) end end
  return function(ctx)
    local values = {}
    for k, name in ipairs(inputs) do values[k] = ctx[name] end
    return f(table.unpack(values, 1, #inputs))
  end
end

return {
  {
    name = "function_of_time",
    doc = "A source: any function of time, smooth for long steps.",
    law = "output = f(t)",
    drake = "TrajectorySource, SymbolicVectorSystem",
    example = "saltus.blocks.function_of_time { f = function(t) return t * math.exp(-t) end }",
    options = { { name = "f", type = "function", required = true,
      doc = "function of time; returns a number or a list" }, SIZE },
    make = function(o, name)
      local f = o.f
      local function output(ctx) return f(ctx.time) end
      return system.new { name = name,
        outputs = { { "output", output, size = o.size or 1, needs = {}, unit = o.unit } } }
    end,
  },
  {
    name = "map",
    doc = "Any function of the inputs, smooth for long steps.",
    law = "output = f(input), or f(input1, input2, ...)",
    drake = "SymbolicVectorSystem",
    example = "saltus.blocks.map { f = function(u) return u * u end }",
    options = {
      { name = "f", type = "function", required = true, doc = "function of the inputs; returns a number or a list" },
      { name = "inputs", type = "count", default = 1, doc = "number of inputs" },
      { name = "input_size", type = "count", default = 1, doc = "elements of each input" },
      SIZE,
    },
    make = function(o, name)
      local inputs, entries = input_names(o.inputs or 1), {}
      for k, input in ipairs(inputs) do entries[k] = { input, size = o.input_size or 1 } end
      return system.new { name = name, inputs = entries,
        outputs = { { "output", caller(o.f, inputs), size = o.size or 1, needs = inputs, unit = o.unit } } }
    end,
  },
  {
    name = "time_table_of_file",
    instead_of = "time_table",
    when_given = "csv",
    doc = "A source given by a CSV file: names in the first line, times in the first column.",
    law = "as with times and values",
    drake = "TrajectorySource",
    example = "saltus.blocks.time_table { csv = \"examples/data/wind.csv\", column = \"speed\" }",
    options = {
      { name = "csv", type = "path", required = true, fixed = true, doc = "the file" },
      { name = "column", type = "path", fixed = true, doc = "name of a column; default: the only one after the time" },
      { name = "between", type = "choice", words = "linear stairs", default = 1,
        doc = "stairs: the value is constant until the next time" },
    },
    rewrite = function(o)
      local times, values = require("saltus.blocks.csv_table").read(o.csv, o.column, "saltus.blocks.time_table")
      return { times = times, values = values, between = o.between, name = o.name, unit = o.unit }
    end,
  },
}
