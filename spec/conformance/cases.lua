-- Finds recorded files and lists their cases, in any folder: the content shows the format.
-- A case is { id = "D03.0", title, judge = function(saltus) -> wrong | nil, reason to wait | nil, notes }.
local json = require "dkjson"
local delays = require "conformance.delays"
local measures = require "conformance.measures"
local drake_other = require "conformance.drake_other"
local judge = require "conformance.judge"
local rulings = require "conformance.rulings"
local slurp = require "support.slurp"
local walkers = require "conformance.walkers"

local cases = {}

local function quoted(path) return "'" .. path:gsub("'", "'\\''") .. "'" end

-- All .json files below a folder, sorted; or nil when there is none.
function cases.files(folder)
  local pipe = assert(io.popen("find -L " .. quoted(folder) .. " -type f -name '*.json' 2>/dev/null"))
  local list = {}
  for path in pipe:lines() do list[#list + 1] = path end
  pipe:close()
  table.sort(list)
  return list[1] and list or nil
end

local function read(path)
  local content, _, wrong = json.decode(slurp(path))
  return content, wrong
end

local function replayed(recorded, key, texts)
  return function(saltus)
    local missing = judge.missing(saltus, recorded)
    if missing then return nil, missing end
    local verdict = judge.case(saltus, recorded, texts)
    local pin = rulings.of(key, recorded)
    local wrong = verdict.wrong
    if not wrong and pin and verdict.got and not verdict.got.refused then wrong = pin.check(verdict.got) end
    return wrong, nil, verdict
  end
end

local function drake_cases(content, name)
  local list = {}
  local short = (content.id or name):match "^[%w_]+" or name
  for i, recorded in ipairs(content.cases) do
    local key = ("%s.%d"):format(short, i - 1)
    local made = { id = key, title = recorded.name or "", recorded = recorded }
    if recorded.model and recorded.model.subsystems and recorded.run then
      made.judge = replayed(recorded, key, content.compare or {})
    elseif walkers.is(recorded) then
      made.judge = function(saltus)
        local wrong, seen, waits = walkers.judge(saltus, recorded)
        return wrong, waits, { applied = { 1 }, seen = seen }
      end
    else
      made.judge = function(saltus) return drake_other.judge(saltus, recorded) end
    end
    list[i] = made
  end
  return list
end

-- The cases of one file; nothing for a file of another kind, nil and why for one that cannot be read.
function cases.of(path)
  local content, wrong = read(path)
  local name = path:match "([^/]+)%.json$"
  if type(content) ~= "table" then return nil, ("%s: %s"):format(path, wrong or "not a table") end
  local format = tostring(content.format or "")
  local list
  if format:find("saltus-delay-trace", 1, true) then
    list = delays.trace_cases(content)
  elseif format:find("saltus-dde", 1, true) then
    list = delays.problem_cases(content)
  elseif format:find("saltus-delay-feedback", 1, true) then
    list = measures.feedback_cases(content)
  elseif format:find("saltus-delay-settings", 1, true) then
    list = measures.settings_cases(content)
  elseif format:find("saltus-measures", 1, true) then
    list = measures.other_cases(content)
  elseif format:find("saltus-", 1, true) then
    list = delays.other_cases(content)
  elseif type(content.cases) == "table" then
    return drake_cases(content, name)
  else
    return {}
  end
  for i, made in ipairs(list) do made.id = ("%s.%d"):format(name, i - 1) end
  return list
end

-- Runs one: "ok", "FAIL" or "pending", a text, and the verdict's notes.
function cases.run(made, saltus)
  local notes
  local start = os.clock()
  debug.sethook(function()
    if os.clock() - start > 60 then error("this case takes longer than a minute", 0) end
  end, "", 1000000)
  local fine, wrong, waits = xpcall(function()
    local first, second, third = made.judge(saltus)
    notes = third
    return first, second
  end, function(message) return debug.traceback(tostring(message), 2) end)
  debug.sethook()
  if not fine then return "FAIL", wrong, notes end
  if waits then return "pending", waits, notes end
  return wrong and "FAIL" or "ok", wrong, notes
end

return cases
