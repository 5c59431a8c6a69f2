-- Changes the methods of all strings by rawset.
rawset(getmetatable("").__index, "upper", function() return "mine" end)
return true
