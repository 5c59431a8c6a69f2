-- Packs with a huge alignment.
return #string.pack("!16" .. ("xXi16"):rep(1e6)) > 1e7
