-- Results as whole files: after a full disk, an error or a crash while one is written, the file before it still stands.
-- Only what must be seen while it grows is written another way: the rows of a sweep.
--
--   whole_file.write("run.csv", "log:csv", function(put) put("a,b\n", "1,2\n") end)
local files = require "saltus.util.files"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local process = require("saltus.core").process

local whole_file = {}

-- Writes into an open file, and closes it unless it is standard output; raises errors.
local function fill(file, path, who, write)
  local function check(done, why)
    if not done then names.fail("%s: %s: %s", who, path, why) end
  end
  local ok, wrong = pcall(numerals.neutral, write, function(...) check(file:write(...)) end)
  local closed, why = file[file == files.output() and "flush" or "close"](file)
  if not ok then error(wrong, 0) end
  check(closed, why)
end

-- Calls write(put), where put(...) writes texts to the file. "-" is standard output; what no other file can replace,
-- like a pipe, is written directly. Numbers have a decimal point; errors name the file.
function whole_file.write(path, who, write)
  names.check(type(path) == "string", path, "%s takes a file name", who)
  if not files.are_allowed() then names.fail("%s: %s: %s", who, path, files.CLOSED) end
  local beside, target
  local is_output = path == "-" or process.is_standard_output(path)
  if not is_output then beside, target = process.make_beside(path) end
  local file, why = files.output()
  if not is_output then file, why = files.open(beside or path, "wb") end
  if not file then names.fail("%s: %s", who, why) end
  local ok, wrong = pcall(fill, file, path, who, write)
  if ok and beside then ok, wrong = files.rename(beside, target) end
  if beside and not ok then files.remove(beside) end
  if not ok then error(wrong, 0) end
end

return whole_file
