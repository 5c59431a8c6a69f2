-- Replaces a long text by many copies of itself.
return #(("x"):rep(1e6):gsub(".*", ("%0"):rep(1000))) >= 1e9
