-- Mirrors lua/saltus/sweep/shard.lua: the shard of a process, by its option or by its launcher's variables.
local shard = require "saltus.sweep.shard"

local function of(variables, text)
  local found = shard.of(text, function(name) return variables[name] end)
  return { found.index, found.count }, found.source
end

describe("the shard of a process", function()
  it("is the whole without option and variables", function()
    assert.same({ 0, 1 }, (of {}))
    assert.same({ 0, 1 }, (of { SALTUS_SHARD = "", SLURM_NTASKS = "4", SLURM_ARRAY_TASK_COUNT = "3" }))
  end)

  it("is asked in the order of the contract", function()
    local all = { SALTUS_SHARD = "1/2", SLURM_PROCID = "2", SLURM_NTASKS = "3", OMPI_COMM_WORLD_RANK = "3",
      OMPI_COMM_WORLD_SIZE = "4", PMI_RANK = "4", PMI_SIZE = "5", JOB_COMPLETION_INDEX = "5", SALTUS_SHARDS = "6" }
    assert.same({ 0, 9 }, (of(all, "0/9")))
    for i, name in ipairs { "SALTUS_SHARD", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
      "JOB_COMPLETION_INDEX" } do
      assert.same({ i, i + 1 }, (of(all)))
      all[name] = nil
    end
    assert.same({ 0, 1 }, (of(all)))
  end)

  it("of a Slurm array counts its elements and their tasks", function()
    for element = 0, 2 do
      for task = 0, 3 do
        assert.same({ element * 4 + task, 12 }, (of { SLURM_ARRAY_TASK_ID = tostring(10 + 5 * element),
          SLURM_ARRAY_TASK_MIN = "10", SLURM_ARRAY_TASK_STEP = "5", SLURM_ARRAY_TASK_COUNT = "3",
          SLURM_PROCID = tostring(task), SLURM_NTASKS = "4" }))
      end
    end
    assert.same({ 2, 3 }, (of { SLURM_ARRAY_TASK_ID = "3", SLURM_ARRAY_TASK_MIN = "1", SLURM_ARRAY_TASK_COUNT = "3",
      SLURM_PROCID = "0" }))
  end)

  it("says where it is from", function()
    local _, source = of { OMPI_COMM_WORLD_RANK = "3", OMPI_COMM_WORLD_SIZE = "4" }
    assert.equal("OMPI_COMM_WORLD_RANK of OMPI_COMM_WORLD_SIZE", source)
  end)

  it("is an error with an index and no count", function()
    for _, case in ipairs {
      { "SLURM_PROCID", "SLURM_NTASKS" }, { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT" },
      { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" }, { "PMI_RANK", "PMI_SIZE" },
      { "JOB_COMPLETION_INDEX", "SALTUS_SHARDS" },
    } do
      assert.error_matches(function() of { [case[1]] = "0" } end,
        ("%s is 0, but %s is not set"):format(case[1], case[2]))
    end
  end)

  it("is an error when it does not exist or is no shard", function()
    assert.error_matches(function() of({}, "7/7") end, "shard 7 of 7 does not exist; .* the last one is 6/7")
    assert.error_matches(function() of({}, "0/0") end, "shard 0 of 0 does not exist; there is at least 1 shard")
    assert.error_matches(function() of({}, "99999999999999999999/2") end, "must be a whole number .* got '9+'")
    assert.error_matches(function() of({}, "1") end, "%-%-shard must be i/n like 0/7, .* got '1'")
    assert.error_matches(function() of { SALTUS_SHARD = "-1/2" } end, "SALTUS_SHARD must be i/n")
    assert.error_matches(function() of { PMI_RANK = "x", PMI_SIZE = "2" } end, "PMI_RANK must be a whole number")
    assert.error_matches(function() of { PMI_RANK = "0", PMI_SIZE = "0" } end, "shard 0 of 0 does not exist")
  end)

  it("has a file of its own", function()
    local two = { index = 2, count = 7 }
    assert.equal("out.2-of-7.csv", shard.file(two, "out.csv"))
    assert.equal("a.b/out.2-of-7", shard.file(two, "a.b/out"))
    assert.equal("out.csv", shard.file({ index = 0, count = 1 }, "out.csv"))
    assert.is_nil(shard.file(two, nil))
  end)
end)
