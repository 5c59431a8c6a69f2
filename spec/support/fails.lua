-- fn(...) has to fail, with a message that contains `text` literally.
local assert = require "luassert"

return function(text, fn, ...)
  local ok, message = pcall(fn, ...)
  assert.is_false(ok)
  assert.is_truthy(tostring(message):find(text, 1, true), tostring(message))
end
