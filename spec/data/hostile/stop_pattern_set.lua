-- A set of many characters for each of many characters.
return ("b"):rep(100000):match("^[" .. ("a"):rep(100000) .. "]*$")
