-- --out DIR: all results in one folder. A result whose option is given has the file of that option.
local complaint = require "saltus.cli.complaint"
local scene = require "saltus.output.animation.scene"
local targets = require "saltus.cli.targets"
local process = require("saltus.core").process

local files = { { "csv", "run.csv" }, { "jsonl", "run.jsonl" }, { "npz", "run.npz" }, { "plot", "run.html" },
  { "json", "run.json" }, { "animate", "animation.html" } }

local function expand(args, folder, s)
  local made, why = process.make_folder(folder)
  if not made then complaint.raise(complaint.FAILED, "--out: %s", why) end
  for _, file in ipairs(files) do
    local key, path = file[1], folder .. "/" .. file[2]
    targets.check_different { { "--out", path }, { "--" .. key, args[key] } }
    if not args[key] and (key ~= "animate" or scene.of(s.model, s.draw)) then
      targets.check_new("--out", path, args.force)
      args[key] = path
    end
  end
end

return {
  name = "--out", argname = "DIR", expand = expand,
  doc = "Write run.csv, run.jsonl, run.npz, run.html, run.json and, if something draws, animation.html to a folder; "
    .. "existing files only with --force.",
}
