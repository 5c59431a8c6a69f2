-- Makes a long text by separators.
return #("x"):rep(1e6, ("y"):rep(1e4)) > 1e9
