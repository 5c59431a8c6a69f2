-- The command line: saltus run, check, help, --version.
--
-- Exit status: 0 success, 1 the run or the file failed, 2 the command was wrong. Results go to stdout, messages to
-- stderr.
local arg_words = require "saltus.cli.arguments"
local interruption = require "saltus.cli.interruption"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local scenario = require "saltus.simulation.scenario"
local module_path = require "saltus.util.module_path"
local system = require "saltus.model.system"
local model = require "saltus.model.flat_model"
local lint = require "saltus.cli.lint"
local progress = require "saltus.cli.progress"
local summary = require "saltus.output.summary"

local cli = {}

local FAILED, USAGE = 1, 2

-- An error that the user can correct; `guarded` prints it without a traceback.
local Complaint = {}

local function complain(code, message, ...)
  if select("#", ...) > 0 then message = numerals.format(message, ...) end
  error(setmetatable({ code = code, message = message }, Complaint), 0)
end

-- Texts may come from untrusted files, so control characters are escaped.
local function say(text) io.stdout:write(names.visible(text), "\n") end

local function complain_aloud(whose, text) io.stderr:write(whose, ": ", names.visible(text), "\n") end

local function argparse_module()
  local ok, argparse = pcall(require, "argparse")
  if not ok then
    complain(FAILED, "arguments need the Lua module argparse: apt install lua-argparse, or luarocks install argparse")
  end
  return argparse
end

local function run_options(command)
  command:option("--duration", "Simulated seconds to run."):convert(arg_words.seconds "--duration"):argname "SECONDS"
  command:option("--set", "Set the default of a state, parameter or input (repeatable)."):argname "NAME=VALUE"
    :count("*"):convert(arg_words.set)
  command:option("--integrator", "Method, like tsitouras5 or runge_kutta3."):argname "NAME"
  command:option("--accuracy", "Relative error that a step may make."):convert(arg_words.number "--accuracy")
    :argname "NUMBER"
  command:option("--max-step", "Longest step."):convert(arg_words.number "--max-step"):argname "SECONDS"
  command:option("--seed", "Seed of all random streams."):convert(arg_words.whole "--seed"):argname "NUMBER"
  command:option("--csv", "Write the log as CSV."):argname "FILE"
  command:option("--plot", "Write a plot: an interactive .html page or an .svg picture."):argname "FILE"
  command:flag("-q --quiet", "Print only errors and what the scenario prints.")
end

local function make_parser()
  local parser = argparse_module()("saltus", "Simulation of hybrid systems: state that flows and state that jumps.")
  parser:require_command(false):command_target "command"
  parser:flag("-v --version", "Print the version.")
  local run = parser:command("run", "Run a scenario file.")
  run:argument("file", "A Lua file that ends with return saltus.scenario { ... }."):argname "FILE"
  run_options(run)
  local check = parser:command("check", "Load a file without running it; list its systems, states and events.")
  check:argument("file", "A Lua file that returns a scenario, a system or a diagram."):argname "FILE"
  local graph = parser:command("graph", "Draw the connections of a diagram as a DOT file and an SVG file.")
  graph:argument("file", "A Lua file that returns a scenario, a system or a diagram."):argname "FILE"
  graph:option("--dot", "The DOT file; default: the name of FILE with .dot, in this folder."):argname "FILE"
  graph:option("--svg", "The SVG file; default: the name of FILE with .svg, in this folder."):argname "FILE"
  local help = parser:command("help",
    "Explain a topic, a block or a command; without one, list the topics.")
  help:argument("topic", "A topic, a block such as pid, or run, check, graph."):args "?":argname "TOPIC"
  return parser, { run = run, check = check, graph = graph }
end

local function parse(parser, arguments)
  local ok, result = parser:pparse(arg_words.joined(arguments))
  if not ok then complain(USAGE, "%s\n%s", result, "try 'saltus --help'") end
  return result
end

local function message_of(wrong)
  if wrong == nil then return "an error without a message" end
  local mt = getmetatable(wrong)
  if type(wrong) ~= "table" or type(mt) == "table" and rawget(mt, "__tostring") then
    local ok, text = pcall(tostring, wrong)
    return ok and text or "an error object whose __tostring fails"
  end
  return "an error object that is a table without __tostring"
end

-- Returns the result of a file; each failure has its own message.
local function load_file(path)
  local file, missing = io.open(path, "r")
  if not file then complain(FAILED, "cannot open %s", missing) end
  local readable, why = file:read(0)
  file:close()
  if not readable and why then complain(FAILED, "cannot read %s: %s", path, why) end
  module_path.add_script_dir(path)
  local chunk, syntax = loadfile(path, "t")
  if not chunk then
    if syntax:find "binary chunk" then complain(FAILED, "%s is compiled Lua; give its source", path) end
    complain(FAILED, "%s", syntax:find(path, 1, true) and syntax or path .. ": " .. syntax)
  end
  local ok, result = pcall(chunk)
  if not ok then
    local message = message_of(result)
    if getmetatable(result) == Complaint then error(result, 0) end
    complain(FAILED, "%s", message:find(path, 1, true) and message or path .. ": " .. message)
  end
  return result
end

local function name_of_kind(value)
  local kind = names.kind(value)
  if kind then return "a " .. kind end
  return value == nil and "nothing" or (type(value) == "table" and "a table" or names.show(value))
end

local function load_scenario(path)
  local result = load_file(path)
  if scenario.is(result) then return result end
  return complain(FAILED, "%s returned %s; it should end with: return saltus.scenario { system = ..., duration = ... }",
    path, name_of_kind(result))
end

local function changes_of(args)
  local changes = { duration = args.duration, integrator = args.integrator, accuracy = args.accuracy,
    max_step = args.max_step, seed = args.seed }
  for _, item in ipairs(args.set or {}) do
    changes.set = changes.set or {}
    changes.set[item.name] = item.value
  end
  return changes
end

-- Raises an error if a file cannot be written; removes the file that this creates.
local function check_writable(option, path)
  local there = io.open(path, "r")
  if there then there:close() end
  local file, why = io.open(path, "ab")
  if not file then complain(FAILED, "%s: %s", option, why) end
  file:close()
  if not there then os.remove(path) end
end

-- Raises an error for equal paths: the last file written would replace the other.
local function check_different(list)
  local taken = {}
  for _, item in ipairs(list) do
    local what, path = item[1], item[2] and item[2]:gsub("^%./", "")
    local other = path and path ~= "/dev/null" and taken[path]
    if other then complain(USAGE, "%s and %s are one file, '%s'", other, what, item[2]) end
    if path then taken[path] = what end
  end
end

local function check_targets(args)
  check_different { { "the scenario", args.file }, { "--csv", args.csv }, { "--plot", args.plot } }
  if args.plot and not args.plot:find "%.html?$" and not args.plot:find "%.svg$" then
    complain(USAGE, "--plot: the file must end in .html or .svg, got '%s'", args.plot)
  end
  if args.csv then check_writable("--csv", args.csv) end
  if args.plot then check_writable("--plot", args.plot) end
end

-- While the progress line is shown, print removes it first.
local function with_progress(run, quiet, action)
  local line = progress.new { start = run.start, stop = run.stop, shown = not quiet and progress.is_terminal(2),
    colour = progress.use_colour(2) }
  local print_before = print
  if line.shown then
    run.sim:on_progress(function(time) line:update(time) end)
    _G.print = function(...)
      line:clear()
      print_before(...)
    end
  end
  local ok, result = pcall(action)
  _G.print = print_before
  line:clear()
  return ok, result, line:elapsed()
end

local function write_files(run, args)
  if not run.log or #run.log.time == 0 then return end
  if args.csv then run.log:csv(args.csv) end
  if args.plot then run.log:plot(args.plot) end
end

local function tell(run, name, status, elapsed)
  say(summary.ending(name, status, run.start, elapsed))
  say(summary.statistics(run.sim.stats))
  if not run.log then return end
  local events = summary.events(run.log)
  if events ~= "" then say(events) end
  if #run.log.columns > 0 and #run.log.time > 1 then
    say ""
    local drawn = { colour = progress.use_colour(1), most = 4 }
    io.stdout:write(require("saltus.output.plot").draw("terminal", run.log, drawn))
  end
end

-- After a failure, files are still written with the rows before it.
local function fail_run(run, args, name, wrong)
  local message = message_of(wrong)
  local failure = run.sim.failure
  local time = type(failure) == "table" and failure.time
  if time and not message:find "t = " then
    message = numerals.format("%s (in %s at t = %.10g)", message, name, time)
  end
  local written, why = pcall(write_files, run, args)
  complain(FAILED, "%s%s", message, written and "" or "\nsaltus: " .. message_of(why))
end

-- A signal or the model ended the run; its files were written.
local function end_interrupted(caught, time)
  local why = caught and caught.closed and "standard output was closed: " or ""
  error(setmetatable({ code = caught and caught.code or FAILED, interrupted = true,
    message = numerals.format("%sinterrupted at t = %.10g", why, time) }, Complaint), 0)
end

local function run_scenario(s, args)
  check_targets(args)
  local ready, run = pcall(s.prepare, s, changes_of(args))
  if not ready then complain(FAILED, "%s", message_of(run)) end
  if (args.csv or args.plot) and not run.log then
    complain(FAILED, "nothing will be logged (the scenario says log = false), so there would be nothing to write")
  end
  local ok, status, elapsed = with_progress(run, args.quiet, function() return run.sim:advance_to(run.stop) end)
  interruption.hold()
  local caught = interruption.caught()
  for _, warning in ipairs(run.sim.warnings) do complain_aloud("warning", warning.message) end
  if not ok and caught then status = { reason = "interrupted", time = run.sim.context.time } end
  if not ok and not caught then fail_run(run, args, s.model.name, status) end
  write_files(run, args)
  if not args.quiet and not (caught and caught.closed) then tell(run, s.model.name, status, elapsed) end
  if caught or status.reason == "interrupted" then end_interrupted(caught, status.time) end
  return 0
end

-- The paths in the log of a scenario.
local function logged_by(s)
  local out = {}
  for _, path in ipairs(type(s.log) == "table" and s.log or {}) do
    if type(path) == "string" then out[#out + 1] = path:gsub("%[%d+%]$", "") end
  end
  return out
end

-- Returns the result of a file, and its model.
local function load_model(path)
  local result = load_file(path)
  if scenario.is(result) then return result, result.model end
  if system.is(result) or model.is(result) or name_of_kind(result) == "a diagram" then
    return result, model.of(result, path)
  end
  return complain(FAILED, "%s returned %s; it should return a scenario, a system or a diagram", path,
    name_of_kind(result))
end

local function check(args)
  local result, m = load_model(args.file)
  say(tostring(m))
  if #m.parts > 1 then
    for _, part_system in ipairs(m:systems()) do say("\n" .. tostring(part_system)) end
  end
  if scenario.is(result) and result.duration then say(numerals.format("duration %.10g s", result.duration)) end
  for _, warning in ipairs(lint.of(m, scenario.is(result) and logged_by(result))) do
    complain_aloud("warning", warning)
  end
  return 0
end

local function graph(args)
  local _, m = load_model(args.file)
  local name = args.file:match "([^/\\]+)$":gsub("%.lua$", "")
  local dot, svg = args.dot or name .. ".dot", args.svg or name .. ".svg"
  check_different { { "the diagram's file", args.file }, { "--dot", dot }, { "--svg", svg } }
  check_writable("--dot", dot)
  check_writable("--svg", svg)
  local by = require("saltus.cli.wiring_graph").write(m, dot, svg)
  say(("wrote %s and %s (laid out by %s)"):format(dot, svg, by))
  return 0
end

local function help_with_block(word)
  local blocks, help = require "saltus.blocks", require "saltus.cli.help"
  local text = blocks.help_of(word)
  if text then return say(text) end
  local known = names.joined(help.names(), { "blocks", "run", "check", "graph" })
  local all = names.joined(known, names.of(blocks.kinds()))
  local near = names.near(word, all)
  local found = near and {} or blocks.described_with(word)
  complain(USAGE, "%s%s", names.unknown("topic %s of help", word, near and all or known),
    found[1] and "; blocks that speak of it: " .. table.concat(found, ", ") or "")
end

local function show_help(args, parser, commands)
  local help = require "saltus.cli.help"
  if args.topic == nil then
    say(parser:get_help() .. "\n\nTopics, as in 'saltus help system':\n" .. help.list())
    say "   blocks                ready-made systems; 'saltus help pid' explains one"
    return 0
  end
  local word = args.topic:gsub("^saltus%.", ""):gsub("^blocks%.", "")
  local page = help.page(word)
  if page then
    say(help.text(page))
  elseif word == "blocks" or word == "block" then
    say("Ready-made blocks: saltus.blocks.NAME { options }. 'saltus help NAME' explains one.\n")
    say(require("saltus.blocks").help())
  elseif commands[word] then
    say(commands[word]:get_help())
  else
    help_with_block(word)
  end
  return 0
end

local function dispatch(arguments)
  local parser, commands = make_parser()
  local args = parse(parser, arguments)
  if args.version then
    say("saltus " .. require("saltus.core").version)
    return 0
  end
  if args.command == "run" then return run_scenario(load_scenario(args.file), args) end
  if args.command == "check" then return check(args) end
  if args.command == "graph" then return graph(args) end
  if args.command == "help" then return show_help(args, parser, commands) end
  io.stderr:write(parser:get_help(), "\n")
  return USAGE
end

-- Runs `action` and returns its exit status; after an error, prints it and returns the error's status.
local function guarded(action)
  local ok, result = pcall(action)
  local caught = interruption.caught()
  if ok and not caught and interruption.hosted then return result end -- the host reports errors of standard output
  local flushed, why = io.stdout:flush()
  if ok and not caught then
    if flushed then return result end
    result = setmetatable({ code = FAILED, message = "cannot write to standard output: " .. why }, Complaint)
  end
  local complaint = getmetatable(result) == Complaint
  local message = complaint and result.message or message_of(result)
  if caught and not (complaint and result.interrupted) then message = "interrupted" end
  complain_aloud("saltus", message)
  return caught and caught.code or complaint and result.code or FAILED
end

-- saltus ARGUMENTS: returns the exit status.
function cli.main(arguments)
  return guarded(function() return dispatch(arguments) end)
end

-- lua5.4 FILE ARGUMENTS: the file's scenario runs itself, with the options of `saltus run`.
function cli.run_program(s, arguments)
  return guarded(function()
    if not arguments or not arguments[1] then return run_scenario(s, {}) end
    local parser = argparse_module()(arguments[0] or "scenario", "Runs this scenario.")
    run_options(parser)
    return run_scenario(s, parse(parser, arguments))
  end)
end

return cli
