-- gsub with a function that loops.
return (("x"):gsub("x", function() while true do end end))
