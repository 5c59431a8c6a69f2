-- An earlier version of this repository as a peer. A goal in nanoseconds holds for one machine; a ratio to the version
-- that met it holds for all. The earlier version is built in a worktree in build/bench/before.
local COMMIT = "e362e25"

-- bench: output, measure, in_turn, build, lua of run.lua.
return function(bench)
  local earlier = { name = "itself at " .. COMMIT }
  local folder = bench.build .. "/bench/before"

  local built
  -- The folder with the earlier version, built once; nil and why.
  local function worktree()
    if built then return table.unpack(built) end
    built = { nil, ("no peer: this clone has no commit %s, or it does not build"):format(COMMIT) }
    local here = bench.output "pwd":gsub("%s+$", "")
    if folder:sub(1, 1) ~= "/" then folder = here .. "/" .. folder end
    local there = bench.output(("test -e %s/build/lua/saltus/core.so"):format(folder))
      or bench.output(("git worktree prune && git worktree add --force --detach %s %s && make -s -C %s -j2 BUILD=build"
        .. " all"):format(folder, COMMIT, folder))
    if there then built = { folder } end
    return table.unpack(built)
  end

  -- The command that runs a script of this repository with the earlier version; nil and why.
  function earlier.script(script)
    local there, why = worktree()
    if not there then return nil, why end
    local paths = ("LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;;' LUA_CPATH='%s/build/lua/?.so;;'"):format(there, there,
      there)
    return ("cd %s && %s %s $OLDPWD/spec/bench/%s"):format(there, paths, bench.lua, script)
  end

  -- The command that runs the earlier version's program of that name; nil and why.
  function earlier.program(name)
    local there, why = worktree()
    if not there then return nil, why end
    local built_here, complaint = bench.output(("make -s -C %s BUILD=build build/bench/%s"):format(there, name))
    if not built_here then return nil, "no peer: " .. complaint end
    return there .. "/build/bench/" .. name
  end

  -- The numbers of this version and of the earlier one, measured in turn; the third result says why there are none of
  -- the earlier one. The arguments of the program, or of the script, follow its name.
  function earlier.compare_program(name, arguments)
    local there, why = earlier.program(name)
    local ours, before = bench.in_turn(("%s/bench/%s %s"):format(bench.build, name, arguments),
      there and there .. " " .. arguments)
    return ours, before or {}, why
  end

  function earlier.compare_script(script, before_script)
    local there, why = earlier.script(before_script or script)
    local ours, before = bench.in_turn(("%s spec/bench/%s"):format(bench.lua, script), there)
    return ours, before or {}, why
  end

  return earlier
end
