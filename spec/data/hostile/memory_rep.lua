-- Makes a long text at once.
return #("x"):rep(1e9) == 1e9
