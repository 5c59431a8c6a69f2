-- Reads the stack of the host.
return debug.getinfo(1) ~= nil or debug.traceback() ~= nil
