-- Replaces a function of string for others.
string.format = function() return "mine" end
return ("%d"):format(1) == "mine"
