-- Leaves much memory in globals for the next script.
big = {}
for i = 1, math.huge do big[i] = ("x"):rep(1e5) .. i end
