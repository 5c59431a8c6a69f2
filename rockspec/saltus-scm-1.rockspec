rockspec_format = "3.0"
package = "saltus"
version = "scm-1"
source = { url = "." }
description = {
  summary = "Simulation of hybrid systems: state that flows and state that jumps",
  detailed = [[
Saltus advances hybrid systems through time: states that flow by differential equations and states that jump at events.
Models are written in Lua or C; the engine is C11. Events are located to the last bit, and runs repeat to the
last bit.]],
  license = "MIT",
}
dependencies = { "lua >= 5.4, < 5.5" }
build = {
  type = "make",
  build_target = "core",
  build_variables = {
    CFLAGS = "$(CFLAGS)",
    LIBFLAG = "$(LIBFLAG)",
    LUA_INCDIR = "$(LUA_INCDIR)",
  },
  install_target = "install-rock",
  install_variables = {
    LUADIR = "$(LUADIR)",
    LUALIBDIR = "$(LIBDIR)",
    BINDIR = "$(BINDIR)",
    ROCKDIR = "$(PREFIX)",
  },
  copy_directories = { "examples" },
}
test = { type = "command", command = "make test" }
