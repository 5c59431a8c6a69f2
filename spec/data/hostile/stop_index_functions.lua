-- a cycle of __index functions in C: rawget as __index
local t = setmetatable({}, { __index = rawget, __newindex = rawset, __call = pcall, __eq = rawequal, __len = rawlen })
for i = 1, 1e9 do local x = t[i] t[i] = i t[i] = nil local _ = pcall(t) end
return true
