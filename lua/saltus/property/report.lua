-- The text about a failing case, and the command that runs it again.
local files = require "saltus.util.files"
local getinfo = require("saltus.core").getinfo
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local run_card = require "saltus.output.run_card"
local scenario = require "saltus.simulation.scenario"

local report = {}

-- ---- the scenario's file ----

-- The functions that a user wrote for a model.
local function functions_of(s)
  local out = { s.monitor, s.draw }
  for _, part in ipairs(s.model.parts) do
    local content = part.system
    for _, value in pairs(content) do
      if type(value) == "function" then out[#out + 1] = value end
    end
    for _, event in ipairs(content.events or {}) do
      for _, value in pairs(event) do
        if type(value) == "function" then out[#out + 1] = value end
      end
    end
  end
  return out
end

local function returns_scenario(path)
  local text = files.read(path)
  return text ~= nil and text:find "scenario%s*[%({]" ~= nil and text:find "\n%s*return%f[%W]" ~= nil
end

-- Whether a function of this file is running: a spec is no file of a scenario.
local function is_running(path)
  for level = 2, math.huge do
    local info = getinfo(level, "S")
    if not info then return false end
    if info.source == "@" .. path then return true end
  end
end

-- The file that returns the scenario: the only one with functions of its model, if it looks like one.
local function file_of(s)
  if s.file then return s.file end
  local found
  for _, fn in pairs(functions_of(s)) do
    local source = names.defined(fn) and getinfo(fn, "S").source:match "^@(.*)"
    if source and found and source ~= found then return nil end
    found = source or found
  end
  return found and not is_running(found) and returns_scenario(found) and found or nil
end

-- ---- the case ----

-- What the case sets, with what all cases set: only what the model does not have already.
local function set_of(property, case)
  local set = names.merged(property.changes.set)
  for i, one in ipairs(property.list) do
    if case.values[i] ~= one.default then set[one.name] = case.values[i] end
  end
  return set
end

local function literal(value)
  if type(value) == "table" then
    return "{ " .. table.concat(names.map(value, literal), ", ") .. " }"
  end
  return type(value) == "string" and ("%q"):format(value) or numerals.shortest(value)
end

local function lua_table(map)
  return "{ " .. table.concat(names.map(names.sorted_keys(map), function(key)
    return (names.is_identifier(key) and "%s = %s" or "[%q] = %s"):format(key, literal(map[key]))
  end), ", ") .. " }"
end

-- The arguments of scenario:run for a case, without what is not plain.
local function run_arguments(property, case, set)
  local out = { ("seed = %d"):format(case.seed) }
  if set then table.insert(out, 1, "set = " .. lua_table(set)) end
  for _, key in ipairs(names.sorted_keys(property.changes)) do
    local value = property.changes[key]
    if key ~= "target_realtime_rate" and (type(value) == "number" or type(value) == "string") then
      out[#out + 1] = ("%s = %s"):format(key, literal(value))
    end
  end
  return "{ " .. table.concat(out, ", ") .. " }"
end

local function lua_line(property, case)
  local s, values = property.scenario, property:named(case.values)
  if not s then return "cases = { " .. lua_table(values) .. " }" end
  if scenario.is(s) then return "scenario:run " .. run_arguments(property, case, set_of(property, case)) end
  return ("scenario(%s):run %s"):format(lua_table(values), run_arguments(property, case))
end

-- The line that runs a case again: a command if a file returns the scenario, else Lua.
function report.replay(property, case)
  local s = property.scenario
  local file = scenario.is(s) and file_of(s)
  local changes = names.merged(property.changes, { set = set_of(property, case), log = nil })
  changes.log, changes.target_realtime_rate = nil, nil
  changes.expects = property.def.holds ~= nil and not property.def.functions and property.holds.words or nil
  if case.seed ~= property.home_seed then changes.seed = case.seed end
  return file and run_card.run_command { file = file, changes = changes } or lua_line(property, case)
end

local function values_text(property, case, is_home)
  local out = {}
  for i, one in ipairs(property.list) do
    if (case.values[i] == one.home) == is_home then
      out[#out + 1] = ("%s = %s"):format(one.name, numerals.shortest(case.values[i]))
    end
  end
  return table.concat(out, ", ")
end

-- The values that are not at home, the simplest value; if all are, these.
local function away_text(away, home)
  return away ~= "" and away or "all parameters at home, the simplest value: " .. home
end

local function case_lines(property, case)
  local away, home = values_text(property, case, false), values_text(property, case, true)
  local out = { "  with " .. away_text(away, home) }
  if away ~= "" and home ~= "" then out[2] = "  at home: " .. home end
  return out
end

local UNSTABLE = "  it does not fail when it runs again: the model or holds depends on more than the values and the "
  .. "seed; look for upvalues and globals that change"

local function plural(count, word) return ("%d %s%s"):format(count, word, count == 1 and "" or "s") end

local function origin_text(result)
  local text = ("  found by %s, case %d"):format(result.found_by, result.found_at)
  if result.shrink_runs == 0 then return text end
  return text .. ("; %s made it simpler"):format(plural(result.shrink_runs, "more run"))
end

local function success_text(property, result)
  local text = ("%s: %s holds in %s"):format(property.what, property.name, plural(result.runs, "case"))
  if not result.margin then return text end
  return text .. numerals.format("; the smallest margin is %.6g, with ", result.margin)
    .. away_text(values_text(property, result.best, false), values_text(property, result.best, true))
end

local function failure_text(property, result)
  local case = result.case
  local first, rest = case.verdict.text:match "^([^\n]*)\n?(.*)$"
  local lines = names.joined({ ("%s: %s fails: %s"):format(property.what, property.name, first) },
    case_lines(property, case), { origin_text(result), "  to run it again:", "    " .. result.command })
  if not case.is_stable then lines[#lines + 1] = UNSTABLE end
  if result.stored then lines[#lines + 1] = ("  %s has it, and it is tried first"):format(result.stored) end
  if rest ~= "" then lines[#lines + 1] = rest end
  return table.concat(lines, "\n")
end

-- What is raised, and what print(result) shows.
function report.text(property, result)
  return names.visible((result.holds and success_text or failure_text)(property, result))
end

return report
