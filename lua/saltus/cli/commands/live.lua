-- saltus live FILE
local arguments = require "saltus.cli.arguments"
local complaint = require "saltus.cli.complaint"
local interruption = require "saltus.cli.interruption"
local model_file = require "saltus.cli.model_file"
local names = require "saltus.util.names"
local run_options = require "saltus.cli.run_options"
local scenario_run = require "saltus.cli.scenario_run"
local source_files = require "saltus.util.source_files"

local function socket_module()
  local ok, socket = pcall(require, "socket")
  if ok then return socket end
  return complaint.raise(complaint.FAILED,
    "saltus live needs the Lua module socket: apt install lua-socket, or luarocks install luasocket")
end

-- Returns the scenario, or nil and an error text.
local function loader(files, path)
  return function()
    local ok, result = pcall(files.load, files, function() return model_file.scenario(path) end)
    if ok then return result end
    return nil, complaint.is(result) and result.message or complaint.message_of(result)
  end
end

local of_whole_runs = { ["--resume"] = true, ["--profile"] = true, ["--every"] = true }

-- The options of a run that say what runs, not what it writes.
local function options()
  local list = names.filter(run_options, function(option)
    return (option.change or option.apply) and not of_whole_runs[option.name]
  end)
  list[#list + 1] = { name = "--port", argname = "NUMBER", doc = "Port of the address; default: any free one.",
    read = arguments.port "--port" }
  return list
end

local without_rate = { target_realtime_rate = 0 } -- the session keeps the pace

local function live(args)
  local socket, files = socket_module(), source_files.new(args.file)
  local served, wrong = require("saltus.live.service").new { socket = socket, clock = socket.gettime, file = args.file,
    files = files, load = loader(files, args.file), port = args.port, speed = args.rate == 0 and math.huge or args.rate,
    changes = function(scenario) return names.merged(scenario_run.changes_of(args, scenario), without_rate) end }
  if not served then complaint.raise(complaint.FAILED, "%s", wrong) end
  complaint.say(served:url())
  complaint.say "Open this address in a browser on this machine. Ctrl-C ends."
  io.stdout:flush()
  while not interruption.caught() do served:turn() end
  served:close()
  return complaint.SUCCESS
end

return {
  name = "live", doc = "Run a scenario in a page of the browser, with sliders, steps back and edited files.",
  arguments = { model_file.scenario_argument },
  options = options(),
  run = live,
}
