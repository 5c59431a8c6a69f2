-- Changes pi for others.
math.pi = 3
math.huge = 1
return false
