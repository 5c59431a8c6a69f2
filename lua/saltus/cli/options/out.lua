-- --out DIR: all results in one folder.
local complaint = require "saltus.cli.complaint"
local process = require("saltus.core").process

local files = { { "csv", "run.csv" }, { "jsonl", "run.jsonl" }, { "npz", "run.npz" }, { "plot", "run.html" },
  { "json", "run.json" } }

local function exists(path)
  local file = io.open(path, "r")
  if file then file:close() end
  return file ~= nil
end

local function expand(args, folder)
  local made, why = process.make_folder(folder)
  if not made then complaint.raise(complaint.FAILED, "--out: %s", why) end
  for _, file in ipairs(files) do
    local path = folder .. "/" .. file[2]
    if not args.force and not args[file[1]] and exists(path) then
      complaint.raise(complaint.FAILED, "--out: %s exists; --force overwrites it", path)
    end
    args[file[1]] = args[file[1]] or path
  end
end

return {
  name = "--out", argname = "DIR", expand = expand,
  doc = "Write run.csv, run.jsonl, run.npz, run.html and run.json to a folder; existing files only with --force.",
}
