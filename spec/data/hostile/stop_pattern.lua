-- A pattern that takes exponentially long.
return ("a"):rep(40):find(("a-"):rep(30) .. "b")
