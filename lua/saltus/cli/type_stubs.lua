-- Type stubs for editors, in the notation of LuaCATS: what saltus.system, simulator, blocks and the others take, from
-- the tables that check what users write.
--
-- A class of options extends a table whose keys are its names: so a type checker reports a misspelt one.
local assertions = require "saltus.testing.assertions"
local blocks = require "saltus.blocks"
local event = require "saltus.model.event"
local help = require "saltus.cli.help"
local log = require "saltus.output.log"
local names = require "saltus.util.names"
local integrator_options = require "saltus.simulation.integrator_options"
local options = require "saltus.simulation.options"
local plot = require "saltus.output.plot"
local property = require "saltus.property"
local scenario = require "saltus.simulation.scenario"
local sweep = require "saltus.sweep"
local system = require "saltus.model.system"

local type_stubs = {}

local types_of_blocks = { number = "number", count = "integer", flag = "boolean", ["function"] = "function",
  text = "string", path = "string" }

local function quoted(words)
  return table.concat(names.map(words, function(word) return ('"%s"'):format(word) end), "|")
end

-- ---- classes of options ----

local function one_line(doc) return doc and " " .. doc:gsub("%s+", " ") or "" end

-- Adds a class with the fields { name =, type =, doc = }. Names in `more` are allowed, too.
local function add_options(out, name, fields, more)
  local keys = names.joined(names.of(fields), more or {})
  out[#out + 1] = ("---@alias saltus.%s.Name %s"):format(name, quoted(keys))
  out[#out + 1] = ("---@class saltus.%s: table<saltus.%s.Name, any>"):format(name, name)
  for _, field in ipairs(fields) do
    out[#out + 1] = ("---@field %s? %s%s"):format(field.name, field.type or "any", one_line(field.doc))
  end
  out[#out + 1] = ""
end

local function simulator_fields(list)
  local out = {}
  for i, option in ipairs(list) do
    local of = option.choices and option.type == "string" and quoted { table.unpack(option.choices) } or option.type
    out[i] = { name = option.name, type = of, doc = integrator_options.meaning(option) }
  end
  return out
end

-- The fields of a list with the types that are known.
local function fields_of(list, types)
  return names.map(list, function(field) return { name = field.name, type = types[field.name], doc = field.doc } end)
end

-- The fields of several lists; of those with one name, the first.
local function united(...)
  local out, seen = {}, {}
  for _, list in ipairs { ... } do
    for _, field in ipairs(list) do
      if not seen[field.name] then out[#out + 1] = field end
      seen[field.name] = true
    end
  end
  return out
end

local function block_fields(kind)
  local out = { { name = "name", type = "string", doc = "of the system" },
    { name = "unit", type = "string", doc = "of the output" } }
  for _, option in ipairs(kind.options) do
    local of = types_of_blocks[option.type] or option.type == "choice" and quoted(names.words(option.words)) or nil
    out[#out + 1] = { name = option.name, type = of, doc = option.doc }
  end
  return out
end

-- The options of a kind and its variants; one that has several types is any.
local function all_block_fields(kind)
  local lists = { block_fields(kind) }
  for _, variant in ipairs(kind.variants) do lists[#lists + 1] = block_fields(variant) end
  local out = united(table.unpack(lists))
  for _, list in ipairs(lists) do
    for _, field in ipairs(list) do
      local kept = out[names.index_of(names.of(out), field.name)]
      if kept.type ~= field.type then kept.type = "any" end
    end
  end
  return out
end

local function add_blocks(out)
  local constructors = {}
  for _, kind in ipairs(blocks.kinds()) do
    if not kind.instead_of then
      add_options(out, "blocks." .. kind.name, all_block_fields(kind))
      constructors[#constructors + 1] = ("---@field %s fun(options?: saltus.blocks.%s): saltus.System%s"):format(
        kind.name, kind.name, one_line(kind.doc))
    end
  end
  out[#out + 1] = "---@class saltus.Blocks"
  out[#out + 1] = table.concat(constructors, "\n") .. "\n"
end

-- ---- objects ----

-- Types of arguments and results of methods that a checker can use; the others are any.
local arguments_of = {
  plot = "path?: string|saltus.PlotOptions, options?: saltus.PlotOptions",
  run = "changes?: saltus.RunChanges", prepare = "changes?: saltus.RunChanges",
  advance_to = "t: number",
}
local results = { advance_to = "saltus.Status", initialize = "saltus.Status", hash = "string", save = "string",
  times = "number[]", clone = "any", run = "saltus.Result", with = "saltus.System",
  ["Group.advance_to"] = "table[]", ["Group.ids"] = "integer[]" }

local function argument_list(method, given)
  if arguments_of[method] then return ", " .. arguments_of[method] end
  local list = {}
  for argument in given:gmatch "[%a_][%w_]*" do list[#list + 1] = (", %s?: any"):format(argument) end
  return table.concat(list)
end

-- Adds a class with the methods and fields of the help.
local function add_object(out, name, rows, fields)
  out[#out + 1] = "---@class saltus." .. name
  for _, row in ipairs(rows) do
    local method, given = row[1]:match "^([%w_]+)%((.*)%)$"
    out[#out + 1] = ("---@field %s fun(self: saltus.%s%s): %s %s"):format(method, name, argument_list(method, given),
      results[name .. "." .. method] or results[method] or "any", one_line(row[2]):sub(2))
  end
  for _, row in ipairs(fields or {}) do
    out[#out + 1] = ("---@field %s %s%s"):format(row[1], row[3] or "any", one_line(row[2]))
  end
  out[#out + 1] = ""
end

local functions = {
  { "system", "description: saltus.SystemFields", "saltus.System" },
  { "simulator", "system: saltus.System|saltus.Diagram, options?: saltus.Options", "saltus.Simulator" },
  { "diagram", "name?: string", "saltus.Diagram" },
  { "group", "system: saltus.System|saltus.Diagram, options?: saltus.Options", "saltus.Group" },
  { "log", "sim: saltus.Simulator, names?: table", "saltus.Log" },
  { "scenario", "description: saltus.ScenarioFields", "saltus.Scenario" },
  { "sweep", "description: saltus.SweepFields", "saltus.SweepResult" },
  { "forall", "description: saltus.ForallFields", "saltus.ForallResult" },
  { "integrator", "options: saltus.IntegratorOptions", "any" },
  { "delay_buffer", "options?: saltus.DelayBufferOptions", "any" },
  { "sandbox", "options?: table", "any" },
  { "terminate", "why: string", "any" },
  { "fail", "why: string", "any" },
}

local function add_math(out)
  out[#out + 1] = "---@class saltus.Math"
  for _, row in ipairs(require("saltus.cli.help.math").functions) do
    for name, given in row[1]:gmatch "([%w]+)(%b())" do
      local arguments = given:sub(2, -2):gsub("%a+", "%0: number")
      out[#out + 1] = ("---@field %s fun(%s): number %s"):format(name, arguments, one_line(row[2]):sub(2))
    end
  end
  out[#out + 1] = ""
end

local function add_module(out)
  out[#out + 1] = "---@class saltus\n---@field blocks saltus.Blocks\n---@field math saltus.Math"
  local known = { blocks = true, math = true }
  for _, f in ipairs(functions) do
    known[f[1]] = true
    out[#out + 1] = ("---@field %s fun(%s): %s"):format(f[1], f[2], f[3])
  end
  for _, name in ipairs(names.sorted_keys(require "saltus")) do
    if not known[name] then out[#out + 1] = ("---@field %s any"):format(name) end
  end
  out[#out + 1] = "local saltus = {}\n\nreturn saltus\n"
end

-- The fields of a result, as add_object has them.
local function rows_of(fields) return names.map(fields, function(field) return { field.name, field.doc } end) end

local function add_objects(out)
  add_object(out, "SweepResult", {}, rows_of(sweep.result_fields))
  add_object(out, "ForallResult", {}, rows_of(property.result_fields))
  add_object(out, "Simulator", help.methods.simulator, names.joined(help.fields, {}))
  add_object(out, "Diagram", help.methods.diagram)
  add_object(out, "Group", help.methods.group, { { "members", "by id", "table" }, { "count", "of members", "integer" },
    { "time", "in s", "number" } })
  add_object(out, "Log", help.methods.log, { { "time", "the times of its rows", "number[]" },
    { "events", "{ time, name } of all events", "table[]" }, { "[string]", "a column", "any" } })
  add_object(out, "Scenario", help.methods.scenario)
  add_object(out, "System", { { "with(values)", "the same with other defaults" }, { "sampling()",
    "the common period and offset of its periodic updates" } }, { { "name", "its name", "string" } })
  add_object(out, "Status", {}, { { "reason", "why it ended", "string" }, { "time", "in s", "number" },
    { "message", "of a termination", "string" } })
  add_object(out, "Result", {}, { { "status", "how it ended", "saltus.Status" }, { "context", "at the end" },
    { "log", "what it recorded", "saltus.Log" }, { "stats", "numbers of steps and events" },
    { "sim", "the simulator", "saltus.Simulator" } })
end

-- What saltus.busted adds to the class of busted's assert.
local function add_assertions(out)
  out[#out + 1] = "---@class luassert"
  for _, one in ipairs(assertions) do
    out[#out + 1] = ("---@field %s fun(...): any%s"):format(one.name, one_line(one.doc))
  end
  out[#out + 1] = ""
end

-- The text of saltus.lua for a folder of stubs.
function type_stubs.text()
  local out = { "---@meta saltus\n-- Written by `saltus types`, from the tables that check options.\n" }
  local simulator = simulator_fields(options.simulator)
  add_options(out, "Options", simulator)
  add_options(out, "IntegratorOptions", simulator_fields(integrator_options.integrator))
  add_options(out, "DelayBufferOptions", simulator_fields(integrator_options.delay_buffer))
  add_options(out, "Event", fields_of(event.fields, { name = "string", every = "number", offset = "number" }))
  add_options(out, "SystemFields", fields_of(system.fields, { name = "string", events = "saltus.Event[]" }))
  add_options(out, "ScenarioFields", united(fields_of(scenario.fields, { duration = "number" }), simulator))
  add_options(out, "RunChanges", united(fields_of(scenario.run_fields, { duration = "number", set = "table" }),
    simulator))
  add_options(out, "SweepFields", united(fields_of(sweep.fields, { runs = "integer", seed = "integer",
    params = "table" }), simulator))
  add_options(out, "ForallFields", united(fields_of(property.fields, { runs = "integer", seed = "integer",
    search = "integer", shrink = "integer", params = "table" }), simulator))
  add_options(out, "LogOptions", fields_of(log.options, { every = "number" }))
  add_options(out, "PlotOptions", fields_of(plot.options, { title = "string" }))
  add_objects(out)
  add_blocks(out)
  add_math(out)
  add_module(out)
  add_assertions(out)
  return table.concat(out, "\n")
end

-- The text of .luarc.json, for a folder with the stubs in `folder`.
function type_stubs.configuration(folder)
  return ([[
{
  "runtime.version": "Lua 5.4",
  "workspace.library": ["%s"],
  "diagnostics.globals": ["describe", "it", "setup", "teardown", "before_each", "after_each"]
}
]]):format(folder)
end

return type_stubs
