-- Replaces the functions of formulas.
local formula = require("saltus").formula
for k in pairs(formula) do formula[k] = nil end
return false
