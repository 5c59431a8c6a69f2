-- saltus repl [FILE]: a prompt for Lua, with the scenario of FILE ready to run.
local complaint = require "saltus.cli.complaint"
local interruption = require "saltus.cli.interruption"
local model_file = require "saltus.cli.model_file"
local names = require "saltus.util.names"
local process = require("saltus.core").process
local prompt = require "saltus.cli.prompt"

local GREETING = [[
saltus %s and %s. Ctrl-D ends.%s
]]

local READY = [[

 sim   the simulator: sim:advance_to(1), sim.context, sim.stats
 ctx   its context: ctx.time, and states by name, to read and to write
 log   what it records: log:plot(), log:csv "run.csv"]]

-- What a line can name besides Lua's own functions.
local function environment(path)
  local env = setmetatable({ saltus = require "saltus" }, { __index = _G })
  if not path then return env end
  local result, m = model_file.model(path)
  env.scenario, env.model = result, m
  if require("saltus.simulation.scenario").is(result) then
    local run = result:prepare { duration = result.duration or 0 }
    env.sim, env.log, env.stop = run.sim, run.log, run.stop
  else
    env.sim = env.saltus.simulator(result)
  end
  env.ctx = env.sim.context
  return env
end

-- Returns a function that reads a line after a mark; nil at the end.
local function reader(env)
  if not process.is_terminal(0) then return function() return io.read "l" end end
  local has_host, host = pcall(require, "saltus.host")
  if has_host and host.read_line then
    return function(mark) return host.read_line(mark, function(word) return prompt.complete(word, env) end) end
  end
  return function(mark)
    io.stdout:write(mark)
    io.stdout:flush()
    return io.read "l"
  end
end

-- Reads until the lines are a chunk; returns the chunk, or nil and an error, or nothing at the end.
local function read_chunk(read, env)
  local text, mark = nil, "> "
  while true do
    local line = read(mark)
    if not line then return nil, text and "the input ended inside a statement" end
    text = text and text .. "\n" .. line or line
    local chunk, wrong, is_open = prompt.compile(text, env)
    if chunk or not is_open then return chunk, wrong end
    mark = ">> "
  end
end

local function repl(args)
  local env = environment(args.file)
  local is_terminal = process.is_terminal(0)
  if is_terminal then
    complaint.say(GREETING:format(require("saltus.core").version, _VERSION, args.file and READY or ""))
  end
  local read, failed = reader(env), false
  while true do
    local chunk, wrong = read_chunk(read, env)
    if not chunk and not wrong then break end
    interruption.forget()
    if chunk then
      failed = not prompt.run(chunk) or failed
    else
      failed = true
      complaint.aloud("error", wrong)
    end
  end
  if is_terminal then complaint.say "" end
  interruption.forget()
  return failed and not is_terminal and complaint.FAILED or complaint.SUCCESS
end

return {
  name = "repl", doc = "Open a prompt for Lua, with the simulator of a file.",
  arguments = { names.merged(model_file.model_argument, { optional = true }) },
  run = repl,
}
