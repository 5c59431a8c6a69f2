-- busted under whichever Lua runs this file: `lua5.4 spec/support/busted.lua --ignore-lua [options]`.
require "busted.runner" { standalone = false }
