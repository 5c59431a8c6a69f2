-- The page of help about properties; its rows are from the tables that check what users write.
local property = require "saltus.property"

local help_page = {}

local RANGES = {
  { "{ 5, 30 }", "a number from 5 to 30; the ends are tried often" },
  { "{ 5, 30, home = 10 }", "its simplest value is 10; by default that of the model, or the one nearest to 0" },
  { "{ integer = { 1, 6 } }", "a whole number" },
  { "{ log_uniform = { 0.1, 10 } }", "also uniform, and normal = { mean, sd }" },
  { "{ \"off\", \"on\" }", "one of these words" },
  { "{ one_of = { 1, 2, 5 } }", "one of these numbers" },
  { "{ { -1, 1 }, { 0, 2 } }", "a vector, with a range for each element; one range serves all elements" },
}

local EXAMPLE = [[
local result = saltus.forall { scenario = dofile "examples/02-bouncing-ball.lua", duration = 3, runs = 50,
  params = { restitution = { 0.5, 0.9 }, height = { 0.1, 2 } }, log = { "height" },
  holds = function(run)
    local highest = 0
    for _, height in ipairs(run.log.height) do highest = math.max(highest, height) end
    return run.params.height - highest
  end }
print(result.holds, result.runs) -- true 50]]

-- field_rows(list): the rows of fields with names and docs. Returns what a page of saltus.cli.help is.
function help_page.of(field_rows)
  return "a property that holds for all values of some parameters",
    { title = "Fields of saltus.forall { ... }, and the options of a simulator except seed:",
      rows = field_rows(property.fields) },
    { title = "Values of params:", rows = RANGES },
    { title = "What saltus.forall returns:", rows = field_rows(property.result_fields) },
    { text = "holds gets what scenario:run returns, with run.params and run.seed added. A failing case is made simpler "
      .. "as long as it fails in the same way: parameters are set to their homes, then numbers get fewer digits. The "
      .. "error contains the command that runs it again." }, { example = EXAMPLE }
end

return help_page
