-- Replaces each character by a long text.
return #(("x"):rep(1e5):gsub("x", ("y"):rep(1e5))) > 1e9
