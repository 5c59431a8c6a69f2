-- The module of c_systems.c.
local build = os.getenv "SALTUS_BUILD" or "build"
package.cpath = ("./%s/spec/?.so;%s"):format(build, package.cpath)
return require "c_systems"
