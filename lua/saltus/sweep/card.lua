-- What a sweep is, on one line of JSON: the first line of its CSV file. A resumed sweep must have the same line.
local files = require "saltus.util.files"
local core = require "saltus.core"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local text_export = require "saltus.output.text_export"

local card = {}

-- The fields in their order, and what they are called in messages.
local fields = { { "saltus_sweep", "version of Saltus" }, { "scenario", "scenario" }, { "file", "file" },
  { "text", "text of the files" }, { "seed", "seed" }, { "parameters", "grid" }, { "sampling", "sampling" },
  { "runs", "number of runs" }, { "duration", "duration" }, { "set", "values of set" }, { "options", "options" },
  { "measure", "measure" } }

-- sources: the text of the scenario's file and of its modules, as util/source_files has it
local function hash_of_text(path, sources)
  if sources then return core.hash(sources) end
  local text = path and files.read(path)
  return text and core.hash(text)
end

local function measure_text(measure)
  if measure == nil then return "the states" end
  return type(measure) == "table" and table.concat(measure, ",") or "a function"
end

local function named(map)
  local out = {}
  for _, key in ipairs(names.sorted_keys(map or {})) do
    local value = map[key]
    if type(value) == "table" then value = table.concat(value, ",") end
    out[#out + 1] = ("%s=%s"):format(key, type(value) == "function" and "function" or numerals.shortest(value))
  end
  return table.concat(out, " ")
end

-- "k=1,2 c=10,20", in the order of the axes, which numbers the runs
local function axes(design)
  return table.concat(names.map(design:texts(), function(axis) return axis[1] .. "=" .. axis[2] end), " ")
end

-- The line of a sweep. given: scenario, design, duration, set, options, measure
function card.of(given)
  local design, path = given.design, given.scenario.file
  local random = design.is_random
  -- More random runs continue the earlier ones, if they are independent and of one point.
  local may_grow = random and design.points == 1 and design.sampling == "random"
  local values = { saltus_sweep = core.version, scenario = given.scenario.model.name,
    file = path and path:match "[^/\\]+$", text = hash_of_text(path, given.scenario.sources), seed = design.seed,
    parameters = axes(design), runs = not may_grow and design.runs or nil, sampling = random and design.sampling or nil,
    duration = given.duration or given.scenario.duration, set = named(given.set),
    options = named(names.merged(given.scenario.options, given.options)), measure = measure_text(given.measure) }
  local out = {}
  for _, field in ipairs(fields) do
    local value = values[field[1]]
    if value ~= nil and value ~= "" then
      out[#out + 1] = ('"%s":%s'):format(field[1], text_export.json(value, numerals.shortest))
    end
  end
  return "{" .. table.concat(out, ",") .. "}"
end

-- The JSON of each field of a line.
local function fields_of(line)
  local out, at = {}, 2
  while true do
    local name, first = line:match('^,?"([%w_]+)":()', at)
    if not name then return out end
    local last = first
    if line:sub(first, first) == '"' then
      repeat last = last + (line:sub(last, last) == "\\" and 2 or 1) until last > #line or line:find('^"', last)
    else
      last = (line:find("[,}]", first) or #line + 1) - 1
    end
    out[name], at = line:sub(first, last), last + 1
  end
end

-- Raises an error if the line of a file at `path` is of another sweep than the line `own`.
function card.check(own, line, path)
  if line == own then return end
  names.fail_if(not line:find '^{"saltus_sweep":', "%s is not the file of a sweep", path)
  local ours, theirs = fields_of(own), fields_of(line)
  for _, field in ipairs(fields) do
    local mine, other = ours[field[1]], theirs[field[1]]
    names.fail_if(mine ~= other, "%s is of another sweep: its %s is %s, and here it is %s; name another file, or begin "
      .. "anew with --force instead of --resume", path, field[2], other or "not given", mine or "not given")
  end
  names.fail("%s is of another sweep: its first line is %s, and here it is %s", path, line, own)
end

return card
