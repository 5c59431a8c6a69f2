-- Makes a size that overflows.
return #("xx"):rep(math.maxinteger) > 0
