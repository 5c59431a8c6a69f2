-- Loops when a variable is closed by the error of the budget.
pcall(function()
  local x <close> = setmetatable({}, { __close = function() while true do end end })
  while true do end
end)
return true
