-- launchers.lua [NAME]: runs the sweep of docs/sweeps.md by each program that starts processes and is installed (GNU
-- parallel, mpirun, Slurm, Dask), joins the files of the shards, and compares the rows with those of one process. A
-- program that is missing is skipped with a message.
local only = arg[1] or ""
local build = os.getenv "SALTUS_BUILD" or "build"
local python = os.getenv "PY" or "python3"
local SHARDS = 7

local here = io.popen("pwd"):read "l"
local saltus = ("%s/%s/bin/saltus"):format(here, build)
local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir -p " .. folder))

local function output(command)
  local pipe = assert(io.popen(("cd %s && { %s; } 2>&1"):format(folder, command)))
  local text = pipe:read "a"
  return text, pipe:close()
end

local function has(program) return (os.execute(("command -v %s >/dev/null 2>&1"):format(program))) end

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text)
  file:close()
end

local sweep = ("%s sweep %s/examples/02-bouncing-ball.lua --random restitution=0.5:0.9 --grid height=1,2 --runs 200 "
  .. "--seed 7 --duration 3 -q"):format(saltus, here)

-- The rows of all files whose names match, sorted, as one text.
local function sorted(pattern) return (output(("LC_ALL=C sort -u %s"):format(pattern))) end

local launchers = {
  { name = "GNU parallel", needs = "parallel", run = function()
    return output(("parallel -j2 --joblog jobs.log %s --csv out.csv --shard {}/%d ::: %s && wc -l < jobs.log"):format(
      sweep, SHARDS, table.concat({ 0, 1, 2, 3, 4, 5, 6 }, " ")))
  end },
  { name = "mpirun", needs = "mpirun", run = function()
    return output(("mpirun --allow-run-as-root --oversubscribe -n %d %s --csv out.csv"):format(SHARDS, sweep))
  end },
  { name = "Slurm", needs = "slurmctld", run = function()
    write("job.sh", ("#!/bin/sh\nexec %s --csv out.csv\n"):format(sweep))
    return output(("sh %s/spec/recipes/slurm.sh %d"):format(here, SHARDS))
  end },
  { name = "Dask", needs = python, run = function()
    if not os.execute(("%s -c 'import dask' 2>/dev/null"):format(python)) then return nil end
    write("shards.py", ([[
import subprocess, dask

@dask.delayed
def shard(i, n):
    command = %q.split() + ["--csv", "out.csv", "--shard", f"{i}/{n}"]
    return subprocess.run(command, check=True).returncode

if __name__ == "__main__":
    print(dask.compute(*[shard(i, %d) for i in range(%d)], scheduler="processes", num_workers=2))
]]):format(sweep, SHARDS, SHARDS))
    return output(python .. " shards.py")
  end },
}

assert(select(2, output(sweep .. " --csv whole.csv")))
local whole, failed = sorted "whole.csv", false

for _, launcher in ipairs(launchers) do
  if launcher.name:lower():find(only:lower(), 1, true) then
    local text, ok
    if has(launcher.needs) then text, ok = launcher.run() end
    if not text then
      print(("skipped  %s: not installed"):format(launcher.name))
    else
      local same = ok and sorted "out.*-of-7.csv" == whole
      failed = failed or not same
      print(("%s  %s: %d shards, %s"):format(same and "same    " or "DIFFERS ", launcher.name, SHARDS,
        text:gsub("%s+$", ""):gsub("\n", " | ")))
    end
    output "rm -f out.*"
  end
end
os.execute("rm -rf " .. folder)
os.exit(not failed, true)
