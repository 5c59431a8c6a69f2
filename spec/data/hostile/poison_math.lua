-- Replaces a function of math for others.
math.sin = function() return 42 end
return false
