-- Catches the error of the budget and goes on.
while true do pcall(function() while true do end end) end
