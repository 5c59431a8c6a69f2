-- Writes a file by io.
local ok = io.open("hostile.txt", "w") return ok ~= nil
