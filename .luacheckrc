std = "lua54"
max_line_length = 120
self = false
unused_args = true
-- 581: `not (a < b)` is how one asks when NaN must fall on this side.
ignore = { "212/_.*", "211/_.*", "581" }
exclude_files = { "build/**", "lua/saltus/cli/vendor/**", "spec/data/hostile/**" }
files["spec/**/*_spec.lua"] = { std = "+busted" }
files["spec/helper.lua"] = { std = "+busted" }
files[".luacheckrc"] = { ignore = { "11." } }
files["examples/hosts/love_rewind/**"] = { std = "luajit+love" }
