-- --watch: runs the file again whenever it, or a module that it requires from its folder, is saved.
local complaint = require "saltus.cli.complaint"
local interruption = require "saltus.cli.interruption"
local process = require("saltus.core").process
local source_files = require "saltus.util.source_files"

-- An error of one run does not end the watch; Ctrl-C does.
local function run_once(files, once)
  local ok, wrong = pcall(files.load, files, once)
  interruption.check()
  if not ok then complaint.aloud("saltus", complaint.is(wrong) and wrong.message or complaint.message_of(wrong)) end
end

local function watch(_, args, once)
  if not args.file then complaint.raise(complaint.USAGE, "--watch needs a file: saltus run FILE --watch") end
  local files = source_files.new(args.file)
  while true do
    run_once(files, once)
    io.stdout:flush() -- it may be a file of the run
    io.stderr:write(("\nwaiting until %s is saved; Ctrl-C ends\n"):format(args.file))
    repeat
      process.sleep(0.1)
      interruption.check()
    until files:changed()
  end
end

return { name = "--watch", doc = "Run again whenever the file is saved.", around = watch }
