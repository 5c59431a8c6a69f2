-- Reads the environment of the process.
return os.getenv "HOME" ~= nil
