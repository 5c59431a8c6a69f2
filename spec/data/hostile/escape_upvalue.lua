-- Reads the upvalues of a function of saltus.
return debug.getupvalue(require("saltus").system, 1) ~= nil
