-- Replaces the globals by the table of globals.
for k in pairs(_G) do _G[k] = nil end
return false
