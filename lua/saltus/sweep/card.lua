-- What a sweep is, on one line of JSON: the first line of its CSV file. A resumed sweep must have the same.
local core = require "saltus.core"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local text_export = require "saltus.output.text_export"

local card = {}

-- What must be equal, and what it is called in messages.
local fields = { { "scenario", "scenario" }, { "file", "file" }, { "text", "text of the files" }, { "seed", "seed" },
  { "parameters", "grid" }, { "runs", "number of runs" }, { "sampling", "sampling" },
  { "duration", "duration" }, { "set", "values of set" }, { "options", "options" }, { "measure", "measure" } }

-- sources: the text of the scenario's file and of its modules, as util/source_files has it
local function hash_of_text(path, sources)
  if sources then return core.hash(sources) end
  local file = path and io.open(path, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
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

-- The fields as texts, { { name, JSON }, ... }. given: scenario, design, duration, set, options, measure
function card.of(given)
  local design, path = given.design, given.scenario.file
  local random = design.is_random
  -- More random runs continue the earlier ones, if they are independent and of one point.
  local may_grow = random and design.points == 1 and design.sampling == "random"
  local values = { scenario = given.scenario.model.name, file = path and path:match "[^/\\]+$",
    text = hash_of_text(path, given.scenario.sources), seed = design.seed, parameters = named(design:texts()),
    runs = not may_grow and design.runs or nil, sampling = random and design.sampling or nil,
    duration = given.duration or given.scenario.duration, set = named(given.set), options = named(given.options),
    measure = measure_text(given.measure) }
  local out = {}
  for _, field in ipairs(fields) do
    local value = values[field[1]]
    if value ~= nil and value ~= "" then
      out[#out + 1] = { field[1], text_export.json(value, numerals.shortest), field[2] }
    end
  end
  return out
end

local function item(field) return ('"%s":%s'):format(field[1], field[2]) end

function card.line(list)
  local out = { '{"saltus_sweep":' .. text_export.json_string(core.version) }
  for _, field in ipairs(list) do out[#out + 1] = item(field) end
  return table.concat(out, ",") .. "}"
end

-- Raises an error if the line of a file at `path` is of another sweep than the list.
function card.check(list, line, path)
  names.fail_if(not line:find('^{"saltus_sweep":'), "%s is no file of a sweep", path)
  for _, field in ipairs(list) do
    if not line:find(item(field), 1, true) then
      local theirs = line:match('"' .. field[1] .. '":("[^"]*")') or line:match('"' .. field[1] .. '":([^,}]*)')
      names.fail("%s is of another sweep: its %s is %s, and here it is %s; name another file, or begin "
        .. "anew with --force instead of --resume",
        path, field[3], theirs or "not given", field[2])
    end
  end
end

return card
