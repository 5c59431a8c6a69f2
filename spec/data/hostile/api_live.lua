-- Starts a live server.
local saltus = require "saltus"
return saltus.live ~= nil
