-- The page of help about sweeps; its rows are from the tables that check what users write.
local distributions = require "saltus.sweep.distributions"
local names = require "saltus.util.names"
local runner = require "saltus.sweep.runner"
local shard = require "saltus.sweep.shard"
local sweep = require "saltus.sweep"

local sweep_help = {}

local EXAMPLE = [[
local result = saltus.sweep {
  scenario = dofile "examples/02-bouncing-ball.lua", duration = 3, seed = 7,
  params = { restitution = { uniform = { 0.5, 0.9 } }, gravity = { 1.62, 9.81 } }, runs = 100,
  measure = function(result) return { height = result.context.height, steps = result.stats.steps } end,
}
print(result.count, result.failures) -- 200 runs: 100 at each gravity]]

local function kind_rows()
  return names.map(names.sorted_keys(distributions.kinds), function(kind)
    return { kind, distributions.kinds[kind].doc }
  end)
end

local function source_rows()
  local rows = { { "--shard", "i/n, or the field shard" } }
  for _, source in ipairs(shard.sources) do rows[#rows + 1] = { source.name, source.doc } end
  return rows
end

-- field_rows(list): the rows of fields with names and docs. Returns what a page of saltus.cli.help is.
function sweep_help.page(field_rows)
  return "many runs with other values and seeds", { title = "Fields of saltus.sweep { ... }, and the options of a "
    .. "simulator except seed:", rows = field_rows(sweep.fields) },
    { title = "Random values, as gain = { uniform = { 1, 10 } }:", rows = kind_rows() },
    { title = "What measure gets:", rows = field_rows(runner.result_fields) },
    { title = "What saltus.sweep returns:", rows = field_rows(sweep.result_fields) },
    { title = "The shard of a process, by the first that is set:", rows = source_rows() },
    { text = "`saltus sweep FILE` does the same from the command line; `saltus sweep --help` lists its options. Its "
      .. "exit status is 1 if a run failed." }, { example = EXAMPLE }
end

return sweep_help
