-- --trace stories: prints a line each time a story continues.
local complaint = require "saltus.cli.complaint"

return {
  name = "--trace", argname = "WHAT",
  doc = "stories: print a line each time a story continues: time, name, line, what it waited for, and what woke it.",
  before = function(run, what)
    complaint.raise_if(what ~= "stories", complaint.USAGE, "--trace takes the word stories, got \"%s\"", what)
    complaint.raise_if(not run.stories, complaint.USAGE, "--trace stories: the scenario has no story")
    run.stories:trace(function(line) complaint.say(line) end)
  end,
}
