-- gmatch with such a pattern.
for w in ("a"):rep(300):gmatch((".-"):rep(20) .. "x") do end return true
