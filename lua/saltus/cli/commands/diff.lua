-- saltus diff A B
local complaint = require "saltus.cli.complaint"
local model_file = require "saltus.cli.model_file"
local names = require "saltus.util.names"
local saved_file = require "saltus.cli.saved_file"
local scenario = require "saltus.simulation.scenario"
local serialize = require "saltus.util.serialize"
local simulator = require "saltus.simulation.simulator"

local function fail(...) complaint.raise(complaint.FAILED, ...) end

local function model_of(args, first)
  local path = args.model or first.file ~= "" and first.file
  if not path then fail("diff: %s does not say of which model it is; give --model FILE", args.a) end
  return (model_file.model(path))
end

-- The simulator of a scenario, with the changes of a checkpoint, or of a system.
local function new_simulator(model, from)
  if not scenario.is(model) then return simulator.new(model) end
  local changes = names.merged(from.changes and serialize.decode(from.changes) or {})
  changes.log, changes.duration = false, changes.duration or model.duration or 0
  return model:prepare(changes).sim
end

local function load_run(model, from, path)
  local made, sim = pcall(new_simulator, model, from)
  if not made then fail("diff: %s: %s", path, complaint.message_of(sim)) end
  if not pcall(sim.load, sim, from.saved) then
    fail("diff: %s is no save of %q, which may have changed since, or the file is damaged", path, sim.model.name)
  end
  return sim
end

local OTHERS = "all numbers and abstract states are the same; timers, the step size or what events remember differ"

local function difference(model, first, second, args)
  local one, other = load_run(model, first, args.a), load_run(model, second, args.b)
  return one:difference(other) or first.saved ~= second.saved and OTHERS
end

local function diff(args)
  local first, second = saved_file.read(args.a, "diff"), saved_file.read(args.b, "diff")
  local sentence = difference(model_of(args, first), first, second, args)
  complaint.say(sentence or ("%s and %s are the same point of the same run"):format(args.a, args.b))
  return sentence and complaint.FAILED or complaint.SUCCESS
end

return {
  name = "diff", doc = "Name the first number in which two saved runs differ; the exit status is 1 if one does.",
  arguments = {
    { name = "a", doc = "A file with the bytes of sim:save() or sal_simulator_save, or a checkpoint." },
    { name = "b", doc = "Another one, of the same model." },
  },
  options = {
    { name = "--model", argname = "FILE",
      doc = "A Lua file that returns their scenario, system or diagram; default: the file that a checkpoint names." },
  },
  run = diff,
}
