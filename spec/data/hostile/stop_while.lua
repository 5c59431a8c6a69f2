-- Loops for ever.
while true do end
