-- Changes the methods of all strings.
getmetatable("").__index = function() return function() return "mine" end end
return ("x"):upper() == "mine"
