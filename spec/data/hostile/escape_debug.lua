-- Uses the library debug.
return debug.getregistry() ~= nil
