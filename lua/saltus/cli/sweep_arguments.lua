-- The arguments of `saltus sweep` as the fields of saltus.sweep.
local arguments = require "saltus.cli.arguments"
local complaint = require "saltus.cli.complaint"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local rows = require "saltus.sweep.rows"
local set_file = require "saltus.cli.options.set_file"

local sweep_arguments = {}

local function split_name(text, option)
  local name, rest = text:match "^%s*([^=]-)%s*=%s*(.-)%s*$"
  if not name or name == "" or rest == "" then return nil, ("%s must be name=..., got '%s'"):format(option, text) end
  return name, rest
end

local function numbers(text)
  local list = {}
  for item in (text .. ":"):gmatch "%s*(.-)%s*:" do
    local value = numerals.parse(item)
    if not value then return nil end
    list[#list + 1] = value
  end
  return list
end

-- "gain=1:10:0.5" or "mode=on,off"
function sweep_arguments.grid(text)
  local name, rest = split_name(text, "--grid")
  if not name then return nil, rest end
  if rest:find ":" then
    local list = numbers(rest)
    if not list or #list ~= 3 then
      return nil, ("--grid %s: '%s' must be from:to:step, or values with commas"):format(name, rest)
    end
    return { name = name, spec = { from = list[1], to = list[2], step = list[3] } }
  end
  local values = {}
  for item in (rest .. ","):gmatch "%s*(.-)%s*," do
    if item == "" then return nil, ("--grid %s: '%s' has an empty value"):format(name, rest) end
    values[#values + 1] = numerals.parse(item) or item
  end
  return { name = name, spec = values }
end

-- "gain=1:10" or "gain=normal:5:0.2"
function sweep_arguments.random(text)
  local name, rest = split_name(text, "--random")
  if not name then return nil, rest end
  local kind, range = rest:match "^(%a[%w_]*):(.*)$"
  local list = numbers(range or rest)
  if not list or #list ~= 2 then
    return nil, ("--random %s: '%s' must be low:high, or a distribution like normal:5:0.2"):format(name, rest)
  end
  local kinds = names.sorted_keys(require("saltus.sweep.distributions").kinds)
  if kind and not names.index_of(kinds, kind) then
    return nil, ("--random %s: unknown distribution '%s'; known: %s"):format(name, kind, table.concat(kinds, ", "))
  end
  return { name = name, spec = { [kind or "uniform"] = list } }
end

function sweep_arguments.jobs(text)
  local value = arguments.whole "--jobs"(text)
  if value and value >= 1 and value <= 1024 then return value end
  return nil, ("--jobs must be a whole number from 1 to 1024, got '%s'"):format(text)
end

-- The names in the first line of a file of cases.
local function case_names(cells, fail)
  local seen = {}
  for i, cell in ipairs(cells) do
    local name = cell:match "^%s*(.-)%s*$"
    if seen[name] then fail("%q is in the line of names twice", name) end
    cells[i], seen[name] = name, true
  end
  if not cells[2] and cells[1]:find ";" then fail("a comma must be between two names, not a semicolon") end
  return cells
end

-- The cases of a CSV file: names in the first line, then a row for each.
local function read_cases(path)
  local function fail(...) complaint.raise(complaint.FAILED, "--cases: " .. path .. ": " .. numerals.format(...)) end
  local header, list = nil, {}
  for line in arguments.lines("--cases", path) do
    if line ~= "" and line:sub(1, 1) ~= "#" then
      if select(2, line:gsub('"', "")) % 2 == 1 then
        fail("the quoted text in %s does not end in its line", names.show(line))
      end
      local cells = rows.split(line)
      if header and #cells ~= #header then
        fail("case %d has %d values, but there are %d names", #list + 1, #cells, #header)
      end
      local case = {}
      for i, text in ipairs(header and cells or {}) do case[header[i]] = rows.number(text) or rows.text(text) end
      list[#list + 1] = header and case or nil
      header = header or case_names(cells, fail)
    end
  end
  if #list == 0 then fail("there are no cases below the line of names") end
  return list
end

local function params_of(args)
  local params, order = {}, {}
  for _, list in ipairs { args.grid or {}, args.random or {} } do
    for _, item in ipairs(list) do
      if params[item.name] then complaint.raise(complaint.USAGE, "%s is given twice", item.name) end
      params[item.name], order[#order + 1] = item.spec, item.name
    end
  end
  if not args.cases then return params, order end
  if #order > 0 then complaint.raise(complaint.USAGE, "--cases lists all values; leave out --grid and --random") end
  return read_cases(args.cases), nil
end

-- Returns the fields of saltus.sweep for a scenario, and the names of params in the order of their columns.
function sweep_arguments.read(s, args)
  if args.resume and (not args.csv or args.csv == "-") then
    complaint.raise(complaint.USAGE, "--resume needs --csv, the file so far")
  elseif args.resume and args.force then
    complaint.raise(complaint.USAGE, "--resume keeps the rows of the file and --force replaces them; give one of them")
  end
  if args.csv == "-" then args.quiet = true end
  local params, order = params_of(args)
  local def = { scenario = s, params = params, runs = args.runs, seed = args.seed, measure = args.measure,
    duration = args.duration, integrator = args.integrator, accuracy = args.accuracy, max_step = args.max_step,
    sampling = args.latin_hypercube and "latin_hypercube" or nil, csv = args.csv, resume = args.resume or nil,
    shard = args.shard }
  if args.set_file then set_file.apply(def, args.set_file, s) end
  if args.set and args.set[1] then arguments.apply_set(def, args.set) end
  return def, order
end

return sweep_arguments
