-- Removes a function of saltus by rawset.
return pcall(rawset, require "saltus", "system", nil)
