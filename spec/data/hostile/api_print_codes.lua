-- Prints for ever.
while true do print(("x"):rep(1e5)) end
