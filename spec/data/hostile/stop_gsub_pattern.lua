-- gsub with such a pattern.
return ("a"):rep(300):gsub((".-"):rep(20) .. "x", "")
