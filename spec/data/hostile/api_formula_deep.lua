-- formulas nested 1e6 deep of several kinds
local saltus = require "saltus"
for _, p in ipairs { { "(", ")" }, { "not ", "" }, { "always ", "" }, { "-", "" }, { "x > 0 and ", "" }, { "x > 0 -> ", "" }, { "x ^ ", "" }, { "x + ", "" }, { "eventually (", ")" }, { "abs(", ")" } } do
  pcall(saltus.formula.parse, p[1]:rep(1e6) .. "x > 0" .. p[2]:rep(1e6))
  pcall(saltus.formula.parse, p[1]:rep(1e5) .. "x" .. p[2]:rep(1e5) .. "> 0")
end
return false
