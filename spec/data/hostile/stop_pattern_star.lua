-- A pattern with many stars.
return ("a"):rep(500):match(("a*"):rep(20) .. "b")
