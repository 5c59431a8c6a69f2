-- Requires the door of saltus to files.
local ok, files = pcall(require, "saltus.util.files") return ok and files.open("hostile.txt", "w") ~= nil
