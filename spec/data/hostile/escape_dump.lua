-- Dumps a function.
return string.dump(function() end) ~= nil
