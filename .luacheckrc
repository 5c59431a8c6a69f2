std = "lua54"
max_line_length = 120
self = false
unused_args = true
ignore = { "212/_.*", "211/_.*" }
exclude_files = { "build/**" }
files["spec/**/*_spec.lua"] = { std = "+busted" }
files["spec/helper.lua"] = { std = "+busted" }
files[".luacheckrc"] = { ignore = { "11." } }
