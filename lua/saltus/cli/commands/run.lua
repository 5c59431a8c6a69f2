-- saltus run FILE
local model_file = require "saltus.cli.model_file"
local scenario_run = require "saltus.cli.scenario_run"

return {
  name = "run", doc = "Run a scenario file.",
  arguments = { model_file.scenario_argument },
  options = require "saltus.cli.run_options",
  run = function(args)
    return scenario_run.run(args, function() return model_file.scenario(args.file) end)
  end,
}
