-- load with a chunk name of the files of saltus, to be trusted
local src = { "@./lua/saltus/util/x.lua", "=@./lua/saltus/x", "@lua/saltus/x.lua", "=lua/saltus/x" }
for _, n in ipairs(src) do load("return 1", n)() load(function() return nil end, n) end
return false
