-- saltus run FILE --animate FILE.html
return {
  name = "--animate", argname = "FILE", doc = "Write an .html page on which the scenario's draw functions move.",
  extensions = { "html" },
  before = function(run, path) run.film = require("saltus.output.animation").film(run.scenario, run, path) end,
  report = function(run) run.is_incomplete = not require("saltus.output.animation").write(run.film, run.log) end,
}
