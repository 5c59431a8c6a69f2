-- Packs a text of fixed, huge size.
return #string.pack("c1000000000", "x") == 1e9
