-- Loads a shared library.
return package.loadlib("libc.so.6", "system") ~= nil
