-- Gives paths to all methods of runs, logs and simulators that may take one.
local saltus = require "saltus"
local s = saltus.scenario { duration = 1, log = { "x", every = 0.1 },
  system = saltus.system { name = "s", z = { { "x", 1 } }, derivatives = function(_, dot) dot.x = 1 end } }
local run = s:run()
local methods = { "csv", "npz", "jsonl", "plot", "animate", "save", "load", "write", "graph", "export", "html", "svg",
  "page", "film", "print", "resume", "record", "read", "diff", "check" }
for _, path in ipairs { "new.txt", "/tmp/new.txt", "../new.txt", "/dev/stdout", "|touch new.txt", "new.npz", "new.svg" } do
  for _, object in ipairs { run.log, run.sim, run, s, saltus } do
    for _, name in ipairs(methods) do
      local ok, f = pcall(function() return object[name] end)
      if ok and f then
        pcall(f, object, path)
        pcall(f, object, { path = path, file = path, to = path, out = path, page = path })
        pcall(f, path)
      end
    end
  end
end
return false
