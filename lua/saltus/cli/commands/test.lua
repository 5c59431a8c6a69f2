-- saltus test [DIR]
local door = require "saltus.util.files"
local arguments = require "saltus.cli.arguments"
local changes = require "saltus.testing.runner.changes"
local complaint = require "saltus.cli.complaint"
local interruption = require "saltus.cli.interruption"
local own_command = require "saltus.util.own_command"
local parser = require "saltus.cli.parser"
local process = require("saltus.core").process
local processes = require "saltus.testing.runner.processes"
local spec_files = require "saltus.testing.runner.spec_files"
local sweep_arguments = require "saltus.cli.sweep_arguments"
local worker = require "saltus.testing.runner.worker"

local options = {
  { name = "-j --jobs", argname = "NUMBER", doc = "Processes at the same time (default: 1).",
    read = sweep_arguments.jobs },
  { name = "--watch", doc = "Run the specs again whenever a Lua file of the folder is saved." },
  { name = "-o --output", argname = "FORMAT", doc = "Format of the results, a name of busted: utfTerminal, TAP, junit, "
    .. "json, gtest." },
  { name = "--output-file", argname = "FILE", doc = "Write the results to a file." },
}

-- Options that busted reads under the same names.
local of_busted = {
  { name = "--filter", argname = "PATTERN", doc = "Run only tests whose names match this Lua pattern.", many = true,
    read = arguments.pattern "--filter" },
  { name = "--filter-out", argname = "PATTERN", doc = "Leave out tests whose names match this pattern.", many = true,
    read = arguments.pattern "--filter-out" },
  { name = "-t --tags", argname = "TAGS", doc = "Run only tests with these #tags in their names.", many = true },
  { name = "--exclude-tags", argname = "TAGS", doc = "Leave out tests with these #tags.", many = true },
  { name = "-r --run", argname = "NAME", doc = "Use the settings of this name in the file .busted." },
  { name = "-p --pattern", argname = "PATTERN", doc = "Pattern of the names of spec files (default: _spec).",
    many = true, read = arguments.pattern "--pattern" },
  { name = "--helper", argname = "FILE", doc = "A Lua file that is run before the specs of each file." },
  { name = "--repeat", argname = "NUMBER", doc = "Run each test so many times.", read = arguments.whole "--repeat" },
  { name = "-l --list", doc = "Print the names of the tests; run none." },
  { name = "-v --verbose", doc = "Print the traceback of each failure." },
}
table.move(of_busted, 1, #of_busted, #options + 1, options)

local function fail(text, ...) complaint.raise(complaint.FAILED, text, ...) end

local function check_busted()
  local has_it, why = pcall(require, "busted.core")
  if has_it then return end
  fail("saltus test needs busted for Lua 5.4: apt install lua-busted, or luarocks --lua-version=5.4 install busted%s",
    tostring(why):find "module 'busted.core' not found" and "" or "\n" .. tostring(why))
end

-- The options for busted as its words.
local function words_of(args)
  local words = {}
  for _, option in ipairs(of_busted) do
    local name, value = parser.long_name(option), args[parser.key(option)]
    for _, one in ipairs(type(value) == "table" and value or value ~= nil and { value } or {}) do
      words[#words + 1] = one == true and name or ("%s=%s"):format(name, one)
    end
  end
  return words
end

local function default_output()
  return process.is_terminal(1) and not os.getenv "NO_COLOR" and "utfTerminal" or "plainTerminal"
end

-- The files to run: folder, words, files and the settings of busted.
local function plan(args)
  local folder, roots = spec_files.places(args.dir)
  local words = words_of(args)
  local all = { table.unpack(words) }
  if args.output then all[#all + 1] = "--output=" .. args.output end
  table.move(roots, 1, #roots, #all + 1, all)
  local settings, wrong = spec_files.settings(folder, all, default_output())
  if not settings then fail("%s", (tostring(wrong):gsub("^saltus test: error: ", ""))) end
  local files = spec_files.list(folder, settings, function(root)
    fail("there is no file or folder %s; 'saltus test DIR' runs the specs of another folder, and 'saltus new NAME' "
      .. "writes an example", root)
  end)
  if not files[1] then
    fail("no file matches the pattern %s in %s", table.concat(settings.pattern, ", "),
      type(settings.ROOT) == "table" and table.concat(settings.ROOT, ", ") or settings.ROOT)
  end
  return { folder = folder, words = words, files = files, settings = settings }
end

-- A text that no spec prints.
local function new_mark() return ("saltus-%x-%s-"):format(os.time(), tostring({}):match "%w*$") end

local function lines_of(planned, mark, program)
  local lines = {}
  for i, file in ipairs(planned.files) do
    local words = { [0] = program.arguments[0], "test", planned.folder, file }
    table.move(planned.words, 1, #planned.words, #words + 1, words)
    lines[i] = ("%s %s"):format(own_command.line(words, "saltus test"), worker.option(mark))
  end
  return lines
end

local function run_once(args, program)
  local planned, mark = plan(args), new_mark()
  local results = require("saltus.testing.runner.merged_results").new(planned.files, mark, planned.settings,
    function(text) fail("%s", text) end)
  io.stdout:flush()
  processes.new { jobs = args.jobs or 1, lines = lines_of(planned, mark, program),
    take_along = interruption.take_along, check = interruption.check }:run(
    function(...) results:wrote(...) end, function(...) results:process_ended(...) end)
  local failures, tests = results:close()
  if failures + tests == 0 and not args.list then fail("no test ran") end
  return failures == 0 and complaint.SUCCESS or complaint.FAILED
end

-- With --output-file, what is written goes to the file.
local function with_output(args, action)
  if not args.output_file then return action() end
  local file, why = door.open(args.output_file, "w")
  if not file then fail("--output-file: %s", why) end
  local before = io.output()
  io.output(file)
  local results = table.pack(pcall(action))
  io.output(before)
  local closed, wrong = file:close()
  if not results[1] then error(results[2], 0) end
  if not closed then fail("--output-file: %s: %s", args.output_file, wrong) end
  return table.unpack(results, 2, results.n)
end

local function watch(folder, once)
  while true do
    local before = changes.snapshot(folder)
    local ok, wrong = pcall(once)
    interruption.check()
    if not ok then complaint.aloud("saltus", complaint.is(wrong) and wrong.message or complaint.message_of(wrong)) end
    complaint.say(("\nwaiting until a file in %s is saved; Ctrl-C ends"):format(folder))
    io.stdout:flush()
    repeat
      process.sleep(0.2)
      interruption.check()
    until changes.between(before, changes.snapshot(folder))
  end
end

local function test(args, program)
  check_busted()
  local dir = args.dir
  if args.worker then return worker.run(args.worker, dir[1], dir[2], words_of(args), interruption.caught) end
  local function once() return with_output(args, function() return run_once(args, program) end) end
  if args.watch then watch((spec_files.places(args.dir)), once) end
  return once()
end

return {
  name = "test", doc = "Run the specs of a folder with busted, one process for each file.",
  arguments = { { name = "dir", optional = true, many = true,
    doc = "A project's folder, a folder of specs, or spec files; default: the folder spec." } },
  options = options,
  hidden_options = { { name = "--worker", argname = "MARK", read = worker.read,
    doc = "Run one file for the process that started this." } },
  run = test,
}
