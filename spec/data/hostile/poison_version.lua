-- Changes the version.
local saltus = require "saltus"
saltus.version[1] = 99
saltus._VERSION = "mine"
return false
