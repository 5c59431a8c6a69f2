-- Requires the module that writes whole files.
local ok, m = pcall(require, "saltus.util.whole_file")
return ok and pcall(m.write, "hostile.txt", "me", function(put) put "x" end)
