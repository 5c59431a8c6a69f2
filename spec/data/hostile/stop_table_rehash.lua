-- Keys that have places of their own until the table grows; then all have the same: one instruction takes minutes.
local bits = 17
local t, step = {}, (1 << (bits + 1)) - 1
for i = 1, (1 << bits) + 1 do t[i * step] = true end
return true
