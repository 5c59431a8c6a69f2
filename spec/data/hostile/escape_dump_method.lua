-- Dumps a function by the methods of strings.
return ("").dump ~= nil
