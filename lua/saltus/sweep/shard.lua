-- Shards: a sweep in n pieces, for processes that know nothing of one another. Shard i of n, from 0 to n - 1, has the
-- runs k with (k - 1) % n == i. Results depend on the run's number alone, so n does not change them.
--
-- The shard is given as "i/n", or found in the variables of the launcher. Places are asked in the order of `sources`.
local files = require "saltus.util.files"
local names = require "saltus.util.names"

local shard = {}

local function whole(text, what)
  local value = math.tointeger(tonumber(text))
  names.fail_if(not value or value < 0, "%s must be a whole number of at least 0, got '%s'", what, text)
  return value
end

local function checked(i, n, source)
  names.fail_if(n < 1, "%s: shard %d of %d does not exist; there is at least 1 shard", source, i, n)
  names.fail_if(i >= n, "%s: shard %d of %d does not exist; shards count from 0, so the last one is %d/%d",
    source, i, n, n - 1, n)
  return { index = i, count = n, source = source }
end

-- "2/7"
local function of_text(text, source)
  local i, n = text:match "^%s*(%d+)%s*/%s*(%d+)%s*$"
  names.fail_if(not i, "%s must be i/n like 0/7, the shard and how many there are, got '%s'", source, text)
  return checked(whole(i, source), whole(n, source), source)
end

local function raise_no_count(index, value, counts)
  names.fail("%s is %s, but %s is not set: a shard needs its index and the number of shards; set it, or give "
    .. "--shard i/n", index, value, counts)
end

-- An index and a count in two variables.
local function of_pair(index, count)
  return function(env)
    local i, n = env(index), env(count)
    if not i then return nil end
    if not n then raise_no_count(index, i, count) end
    return checked(whole(i, index), whole(n, count), ("%s of %s"):format(index, count))
  end
end

-- Slurm: tasks of a step, elements of an array, or both. SLURM_PROCID alone is 0 in every array job.
local function of_slurm(env)
  local task, process = env "SLURM_ARRAY_TASK_ID", env "SLURM_PROCID"
  local tasks = env "SLURM_NTASKS"
  if not task then return of_pair("SLURM_PROCID", "SLURM_NTASKS")(env) end
  local count = env "SLURM_ARRAY_TASK_COUNT"
  if not count then raise_no_count("SLURM_ARRAY_TASK_ID", task, "SLURM_ARRAY_TASK_COUNT") end
  if not tasks and process and process ~= "0" then raise_no_count("SLURM_PROCID", process, "SLURM_NTASKS") end
  local least = whole(env "SLURM_ARRAY_TASK_MIN" or "0", "SLURM_ARRAY_TASK_MIN")
  local step = whole(env "SLURM_ARRAY_TASK_STEP" or "1", "SLURM_ARRAY_TASK_STEP")
  names.fail_if(step == 0, "SLURM_ARRAY_TASK_STEP must not be 0")
  local n_tasks = whole(tasks or "1", "SLURM_NTASKS")
  local element = (whole(task, "SLURM_ARRAY_TASK_ID") - least) // step
  return checked(element * n_tasks + whole(process or "0", "SLURM_PROCID"),
    whole(count, "SLURM_ARRAY_TASK_COUNT") * n_tasks, "the Slurm array")
end

-- After --shard, which is asked first.
shard.sources = {
  { name = "SALTUS_SHARD", doc = "i/n",
    read = function(env) return env "SALTUS_SHARD" and of_text(env "SALTUS_SHARD", "SALTUS_SHARD") end },
  { name = "Slurm", doc = "i = ((SLURM_ARRAY_TASK_ID - MIN) / STEP) * SLURM_NTASKS + SLURM_PROCID, "
    .. "n = SLURM_ARRAY_TASK_COUNT * SLURM_NTASKS; without an array the tasks alone", read = of_slurm },
  { name = "Open MPI", doc = "OMPI_COMM_WORLD_RANK of OMPI_COMM_WORLD_SIZE",
    read = of_pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE") },
  { name = "PMI", doc = "PMI_RANK of PMI_SIZE (MPICH and others)", read = of_pair("PMI_RANK", "PMI_SIZE") },
  { name = "Kubernetes", doc = "JOB_COMPLETION_INDEX of SALTUS_SHARDS",
    read = of_pair("JOB_COMPLETION_INDEX", "SALTUS_SHARDS") },
}

-- Returns { index =, count =, source = }: of the text "i/n", else of the first launcher whose variables are set, else
-- the whole. env(name): by default a variable of the process.
function shard.of(text, env)
  if text then return of_text(text, "--shard") end
  local function get(name)
    local value = (env or files.environment)(name)
    return value ~= "" and value or nil
  end
  for _, source in ipairs(shard.sources) do
    local found = source.read(get)
    if found then return found end
  end
  return { index = 0, count = 1 }
end

-- "out.csv" of shard 2/7 is "out.2-of-7.csv": shards that get the same command line do not share a file. "-" is
-- standard output.
function shard.file(of, path)
  if not path or path == "-" or of.count == 1 then return path end
  local stem, extension = path:match "^(.*[^/\\])(%.[^./\\]+)$"
  return ("%s.%d-of-%d%s"):format(stem or path, of.index, of.count, extension or "")
end

return shard
