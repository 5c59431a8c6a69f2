-- A frontier with a large set at each place.
return ("b"):rep(100000):find("%f[" .. ("a"):rep(100000) .. "]x")
