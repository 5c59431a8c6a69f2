-- The conformance runner: lua5.4 spec/conformance/run.lua [DIR] [--only D03 | --only D03.5] [--verbose]
--
-- Replays every recorded case below DIR (default: spec/data) on the engine. One line a case; the last line is
-- "N passed, N failed", and the exit status is 1 when any failed.
local here = (arg[0]:match "^(.*)/[^/]*$" or ".") .. "/"
local root = here .. "../../"
package.path = here .. "../?.lua;" .. root .. "lua/?.lua;" .. root .. "lua/?/init.lua;" .. package.path
package.cpath = root .. "build/lua/?.so;" .. package.cpath

local cases = require "conformance.cases"

local function options_of(words)
  local options, i = {}, 1
  while words[i] do
    local word = words[i]
    if word == "--verbose" then
      options.verbose = true
    elseif word == "--only" then
      i = i + 1
      options.only = words[i]
    elseif word:match "^%-%-only=" then
      options.only = word:match "^%-%-only=(.*)$"
    elseif word:match "^%-" then
      io.stderr:write("unknown option ", word, "\n")
      os.exit(2)
    else
      options.folder = word
    end
    i = i + 1
  end
  options.folder = options.folder or here .. "../data"
  return options
end

local function wanted(id, only) return not only or id == only or id:match "^(.*)%.%d+$" == only end

local function describe(id, title, outcome, text, notes, verbose)
  local first_line = text and (verbose and text or text:match "[^\n]*")
  local line = ("%-4s %s %s"):format(outcome, id, title)
  if first_line then line = line .. ": " .. first_line end
  local applied = notes and notes.applied
  if verbose and applied and applied[1] then line = ("%s [rulings %s]"):format(line, table.concat(applied, ", ")) end
  print(line)
end

local function run_all(options)
  local counts, reasons = { ok = 0, FAIL = 0, pending = 0 }, {}
  local files = cases.files(options.folder)
  if not files then
    io.stderr:write("no .json file below ", options.folder, "\n")
    counts.FAIL = 1
  end
  local saltus = require "saltus"
  for _, path in ipairs(files or {}) do
    local list, wrong = cases.of(path)
    if not list then
      counts.FAIL = counts.FAIL + 1
      print("FAIL " .. wrong)
    end
    for _, made in ipairs(list or {}) do
      if wanted(made.id, options.only) then
        local outcome, text, notes = cases.run(made, saltus)
        counts[outcome] = counts[outcome] + 1
        if outcome == "pending" then reasons[#reasons + 1] = made.id end
        describe(made.id, made.title, outcome, text, notes, options.verbose)
      end
    end
  end
  if reasons[1] then print(("%d pending: %s"):format(#reasons, table.concat(reasons, " "))) end
  print(("%d passed, %d failed"):format(counts.ok, counts.FAIL))
  return counts.FAIL == 0
end

os.exit(run_all(options_of(arg)) and 0 or 1, true)
