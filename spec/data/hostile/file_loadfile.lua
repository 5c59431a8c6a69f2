-- Compiles a file.
return loadfile "hostile_canary.txt" ~= nil
