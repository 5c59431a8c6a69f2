-- Changes the metatable of the view of saltus.
return pcall(setmetatable, require "saltus", nil)
