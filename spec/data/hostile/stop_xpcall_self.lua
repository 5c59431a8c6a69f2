-- A message handler that raises errors.
local function h() error "again" end
while true do xpcall(function() error "x" end, h) end
