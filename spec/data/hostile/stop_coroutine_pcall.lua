-- Catches errors around coroutines.
while true do
  local co = coroutine.create(function() while true do end end)
  local ok = coroutine.resume(co)
  if not ok then co = nil end
end
