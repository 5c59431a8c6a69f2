-- Counts for a very long time.
for i = 1, math.maxinteger do end return true
