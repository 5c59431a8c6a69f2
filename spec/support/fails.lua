-- fn(...) has to fail, with a message in which `text` stands word for word.
local assert = require "luassert"

return function(text, fn, ...)
  local ok, message = pcall(fn, ...)
  assert.is_false(ok)
  assert.is_truthy(tostring(message):find(text, 1, true), tostring(message))
end
