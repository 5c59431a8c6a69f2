-- all blocks with a path in each option that may be one
local saltus = require "saltus"
for name, make in pairs(saltus.blocks) do
  for _, o in ipairs { "csv", "file", "path", "table", "data", "from" } do
    pcall(make, { [o] = "/etc/passwd", column = "x" }) pcall(make, { [o] = "hostile_canary.txt", column = "x" })
  end
end
return false
