-- float for whose step is lost by rounding
for i = 1e308, math.huge, 1 do end
for i = 1, 1e17, 0.001 do end
