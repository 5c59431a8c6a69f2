-- Loads bytecode by the mode "b".
return load("\27Lua", "x", "b") ~= nil
