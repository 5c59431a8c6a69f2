-- Reads a file that stands beside the Lua files of this folder, such as a style sheet, a script or a licence:
-- asset "animation/page.css".
local files = require "saltus.util.files"
local folder = require("saltus.core").getinfo(1, "S").source:match "^@(.*[/\\])[^/\\]*$" or ""

return function(name) return assert(files.read(folder .. name)) end
