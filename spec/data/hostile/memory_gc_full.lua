-- Collects for ever.
while true do collectgarbage() end
